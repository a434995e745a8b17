"""The perceptron with a kernel in place of the inner product."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.metrics.pairwise import pairwise_kernels
from sklearn.utils.validation import check_is_fitted

from mercer._core.threads import single_blas_thread
from mercer.arrays import Floats
from mercer.errors import MercerError, did_you_mean
from mercer.estimators.perceptron.base import PerceptronBase
from mercer.estimators.svm.explain import SupportPath, support_path
from mercer.kernels import Kernel
from mercer.solvers.perceptron import BLOCK, run_block
from mercer.state import Reader, State
from mercer.table import Table, table_from_state, table_state

KERNELS = ("linear", "poly", "rbf", "sigmoid")
_OBJECT = "object"  # in a state: the kernel is one of mercer.kernels, described beside it
_HELD = 4000  # rows up to which all their kernel values are computed once and held


class KernelPerceptron(PerceptronBase):
    """f(x) = sign(sum_j a_j y_j k(x_j, x) + b);  at each mistake on row i:  a_i <- a_i + eta0,  b <- b + eta0 y_i R^2.

    R^2 = max k(x, x). The perceptron in the space of the kernel: it separates whatever the kernel can tell apart.
    Stops as Perceptron does. Kernels by name see columns as LinearRegression does, centred and divided by their
    deviation; a kernel object of `mercer.kernels` sees the table itself.

    Parameters
    ----------
    kernel : "rbf", "poly", "linear", "sigmoid", or an object with fit(table) and gram(a, b)
    gamma : "scale" (one over the number of columns), or a number above 0; exp(-gamma |a - b|^2)
    degree, coef0 : of "poly" (gamma a'b + coef0)^degree, and "sigmoid"
    eta0, margin, max_iter, n_iter_no_change : as for Perceptron
    kinds : column -> kind, overriding what is inferred from a data frame

    Attributes
    ----------
    dual_coef_ : a_j y_j of the support rows, (1 or n_classes, n_support); intercept_ : b
    separated_, n_iter_, mistakes_ : as for Perceptron

    Examples
    --------
    >>> import mercer
    >>> model = mercer.KernelPerceptron().fit([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0])
    >>> model.separated_, model.predict([[0, 0], [0, 1], [1, 0], [1, 1]]).tolist()
    (True, [0, 1, 1, 0])
    """

    _advice = "Use another kernel or a larger gamma,"
    shuffle = False
    random_state = None

    def __init__(
        self,
        kernel: Any = "rbf",
        *,
        gamma: float | str = "scale",
        degree: int = 3,
        coef0: float = 1.0,
        eta0: float = 1.0,
        margin: float = 0.0,
        max_iter: int = 1000,
        n_iter_no_change: int = 50,
        kinds: Mapping[str, Any] | None = None,
    ) -> None:
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.eta0 = eta0
        self.margin = margin
        self.max_iter = max_iter
        self.n_iter_no_change = n_iter_no_change
        self.kinds = kinds

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn from a table X and labels y; a row of weight 2 is shown twice in a row."""
        table, codes, turns = self._start(X, y, sample_weight)
        self._begin(table, turns)
        rows, signs = self._view(table), self._signs(codes)
        self._run(rows, signs, turns, lambda one: self._passes(len(table), one))
        self._learn_link(self._scores(table), codes, turns)
        return self

    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """One pass over further rows. The first call decides on columns and, by `classes`, on labels."""
        if not hasattr(self, "dual_coef_"):
            table, codes, turns = self._start(X, y, sample_weight, classes)
            self._begin(table, turns)
        else:
            table, codes, turns = self._further(X, y, sample_weight)

        def once(one: Any) -> None:
            self.n_iter_ += 1
            self.mistakes_ = one(np.arange(len(table)))
            self.separated_ = self.mistakes_ == 0

        self._run(self._view(table), self._signs(codes), turns, once)
        self._learn_link(self._scores(table), codes, np.maximum(turns, 1e-300))
        return self

    def _begin(self, table: Table, turns: Floats) -> None:
        if isinstance(self.kernel, str) and self.kernel not in KERNELS:
            raise MercerError(f"There is no kernel {self.kernel!r}. {did_you_mean(self.kernel, KERNELS)}")
        if self.gamma != "scale" and not (isinstance(self.gamma, int | float) and self.gamma > 0):
            raise MercerError(f"gamma={self.gamma!r}: 'scale' or a number above 0.")
        self._learn_design(table, turns)
        if not isinstance(self.kernel, str):
            self.kernel_ = clone(self.kernel).fit(table)
        k = self._n_planes
        self.dual_coef_, self.intercept_ = np.zeros((k, 0)), np.zeros(k)
        self.radius2_ = 0.0
        self.support_ = self._view(table.take(slice(0, 0)))
        self.n_iter_, self.mistakes_, self.separated_ = 0, 0.0, False

    def _view(self, table: Table) -> Any:
        """What the kernel compares: the table itself, or its numbers."""
        if not isinstance(self.kernel, str):
            return table
        matrix = self.design_.matrix(table)
        dense = matrix.toarray() if sp.issparse(matrix) else np.asarray(matrix, dtype=np.float64)
        return (dense - self.mean_) / self.scale_

    def _gram(self, a: Any, b: Any) -> Floats:
        if not len(a) or not len(b):
            return np.zeros((len(a), len(b)))
        if not isinstance(self.kernel, str):
            return np.asarray(self.kernel_.gram(a, b), dtype=np.float64)
        gamma = 1 / len(self.mean_) if self.gamma == "scale" else self.gamma
        return np.asarray(
            pairwise_kernels(
                a, b, metric=self.kernel, filter_params=True, gamma=gamma, degree=self.degree, coef0=self.coef0
            )
        )

    def _run(self, rows: Any, signs: Floats, turns: Floats, drive: Any) -> None:
        """Passes over these rows on top of the support rows known before; then keep those with a coefficient."""
        n = len(signs)
        held = self._gram(rows, rows) if n <= _HELD else None
        before = self._gram(rows, self.support_) @ self.dual_coef_.T  # what earlier rows say
        coef = self._new = np.zeros((len(self.dual_coef_), n))

        def block(now: NDArray[np.intp], others: NDArray[np.intp]) -> Floats:
            if held is not None:
                return held[np.ix_(now, others)]
            return self._gram(_take(rows, now), _take(rows, others))

        squares = held.diagonal() if held is not None else self._diagonal(rows)
        self.radius2_ = max(self.radius2_, float(squares.max(initial=0.0)))

        def one_pass(order: NDArray[np.intp]) -> float:
            mistakes = 0.0
            for start in range(0, n, BLOCK):
                now = order[start : start + BLOCK]
                active = np.flatnonzero(coef.any(axis=0))
                scores = before[now] + block(now, active) @ coef[:, active].T + self.intercept_
                products = block(now, now) + self.radius2_
                for k in range(len(coef)):
                    score = np.ascontiguousarray(scores[:, k])
                    wrong = run_block(products, score, signs[now, k], turns[now], self.eta0, self.margin)
                    steps = self.eta0 * wrong * signs[now, k]
                    coef[k, now] += steps
                    self.intercept_[k] += steps.sum() * self.radius2_
                    mistakes += float(wrong.sum())
            return mistakes

        with single_blas_thread():
            drive(one_pass)
        del self._new
        active = np.flatnonzero(coef.any(axis=0))
        self.dual_coef_ = np.hstack([self.dual_coef_, coef[:, active]])
        self.support_ = _join(self.support_, _take(rows, active))

    def _snapshot(self) -> tuple[Floats, Floats]:
        return self._new.copy(), self.intercept_.copy()

    def _recall(self, snapshot: tuple[Floats, Floats]) -> None:
        self._new[:], self.intercept_[:] = snapshot

    def _diagonal(self, rows: Any) -> Floats:
        places = range(0, len(rows), BLOCK)
        parts = [_take(rows, np.arange(a, min(a + BLOCK, len(rows)))) for a in places]
        return np.concatenate([self._gram(p, p).diagonal() for p in parts])

    def _scores(self, table: Table) -> Floats:
        rows = self._view(table)
        parts = []
        for start in range(0, len(table), 4096):
            now = np.arange(start, min(start + 4096, len(table)))
            parts.append(self._gram(_take(rows, now), self.support_) @ self.dual_coef_.T + self.intercept_)
        return np.vstack(parts) if parts else np.zeros((0, len(self.intercept_)))

    def explain(self, X: Any) -> list[SupportPath]:
        """For each row the support rows that move its score; of several classes, the best against the runner-up."""
        table = self._predict_table(X)
        similarity = self._gram(self._view(table), self.support_)
        chosen, other = self._two_sides(similarity @ self.dual_coef_.T + self.intercept_)
        coef, b = self._both_sides(self.dual_coef_.T).T, self._both_sides(self.intercept_[None])[0]
        return [
            support_path(similarity[i], coef[c] - coef[o], float(b[c] - b[o]), (self.classes_[c], self.classes_[o]))
            for i, (c, o) in enumerate(zip(chosen, other, strict=True))
        ]

    def to_state(self) -> State:
        check_is_fitted(self)
        gamma = 0.0 if self.gamma == "scale" else float(self.gamma)
        named = isinstance(self.kernel, str)
        if not named and not isinstance(self.kernel_, Kernel):
            raise MercerError(f"A {type(self.kernel_).__name__} cannot be stored: it is no kernel of mercer.kernels.")
        part: State = {"support": np.ascontiguousarray(self.support_)} if named else self._object_state()
        return self._shared_state() | part | {
            "kernel": self.kernel if named else _OBJECT, "gamma": gamma, "degree": int(self.degree),
            "coef0": float(self.coef0), "eta0": float(self.eta0), "margin": float(self.margin),
            "dual_coef": self.dual_coef_, "intercept": self.intercept_.copy(), "radius2": self.radius2_,
        }  # fmt: skip

    def _object_state(self) -> State:
        return {"kernel_object": self.kernel_.to_state(), "rows": table_state(self.support_)}

    @classmethod
    def from_state(cls, state: Reader) -> Self:
        most = float(np.finfo(float).max)
        gamma = state.number("gamma", 0.0, most)
        model = cls(
            state.text("kernel", (*KERNELS, _OBJECT)), gamma=gamma or "scale", degree=state.integer("degree", 0, 1000),
            coef0=state.number("coef0", -most, most), eta0=state.number("eta0", 0.0, most),
            margin=state.number("margin", 0.0, most),
        )._restore_shared(state)  # fmt: skip
        if model.kernel == _OBJECT:
            model.kernel_ = Kernel.from_state(state.child("kernel_object"))
            model.kernel, model.support_ = clone(model.kernel_), table_from_state(state.child("rows"))
            if model.support_.schema.columns != model.schema_.columns:
                raise state.refuse("rows", "the columns of the model")
        else:
            model.support_ = state.array("support", "float64", (None, len(model.mean_)))
        model.dual_coef_ = state.array("dual_coef", "float64", (model._n_planes, len(model.support_)))
        model.intercept_ = state.array("intercept", "float64", (model._n_planes,))
        model.radius2_ = state.number("radius2", 0.0, most)
        state.finish()
        return model


def _take(rows: Any, places: NDArray[np.intp]) -> Any:
    return rows.take(places) if isinstance(rows, Table) else rows[places]


def _join(first: Any, second: Any) -> Any:
    """Rows one after the other."""
    if not isinstance(first, Table):
        return np.vstack([first, second])
    return second if not len(first) else stack(first, second)


def stack(first: Table, second: Table) -> Table:
    """Two tables of the same schema, one below the other."""
    numbers, codes, texts = first.number_block, first.code_block, first.text_block
    values = [t.number_block.values for t in (first, second)]
    joined = sp.csr_array(sp.vstack(values, format="csr")) if first.is_sparse else np.vstack(values)
    return Table(
        first.schema,
        len(first) + len(second),
        type(numbers)(joined),
        type(codes)(np.asfortranarray(np.vstack([codes.values, second.code_block.values]))),
        type(texts)(np.vstack([texts.values, second.text_block.values])),
    )
