"""The perceptron with a kernel in place of the inner product."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from mercer._core.threads import single_blas_thread
from mercer.arrays import Floats
from mercer.errors import MercerError
from mercer.estimators.kernel.explain import SupportPath, support_path
from mercer.estimators.perceptron.base import PerceptronBase
from mercer.kernels import KERNEL, Kernel, KernelLike, Precomputed, as_kernel
from mercer.kernels.numeric.gamma import GAMMA, Gamma
from mercer.parameters import Dictionary, Number, Parameters, check_parameters
from mercer.solvers.perceptron import BLOCK, run_block
from mercer.state import Reader, State
from mercer.table import Table, table_from_state, table_state

_HELD = 4000  # rows up to which all their kernel values are computed once and held


class KernelPerceptron(PerceptronBase):
    """f(x) = sign(sum_j a_j y_j k(x_j, x) + b);  at each mistake on row i:  a_i <- a_i + eta0,  b <- b + eta0 y_i R^2.

    R^2 = max k(x, x). The perceptron in the space of the kernel: it separates whatever the kernel can tell apart.
    Stops as Perceptron does. A kernel's name means what it means in SVC (`mercer.kernels.as_kernel`): the kernel on the
    numbers as they are, and on standardised numbers and levels where there are categories.

    Parameters
    ----------
    kernel : {"rbf", "poly", "linear", "sigmoid"}, Kernel or callable, default "rbf"
        The kernel.
    gamma : {"scale", "auto"} or float, default "scale"
        Inverse width of "rbf", factor of the dot product in "poly" and "sigmoid".
    degree : int, default 3
        Degree of "poly".
    coef0 : float, default 0.0
        Constant of "poly" and "sigmoid".
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

    parameters: ClassVar[Parameters] = {
        "kernel": KERNEL,
        "gamma": GAMMA,
        "degree": Number(0, whole=True),
        "coef0": Number(),
        "eta0": Number(0, above=True),
        "margin": Number(0),
        "max_iter": Number(1, whole=True),
        "n_iter_no_change": Number(1, whole=True),
        "kinds": Dictionary(),
    }
    _advice = "Use another kernel or a larger gamma,"
    shuffle = False
    random_state = None

    def __init__(
        self,
        kernel: KernelLike = "rbf",
        *,
        gamma: Gamma = "scale",
        degree: int = 3,
        coef0: float = 0.0,
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
        self._run(table, self._signs(codes), turns, lambda one: self._passes(len(table), one))
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

        self._run(table, self._signs(codes), turns, once)
        self._learn_link(self._scores(table), codes, np.maximum(turns, 1e-300))
        return self

    def _check_options(self) -> None:
        check_parameters(self)

    def _begin(self, table: Table, turns: Floats) -> None:
        kernel = as_kernel(self.kernel, table.schema, gamma=self.gamma, coef0=self.coef0, degree=self.degree)
        if isinstance(kernel, Precomputed):
            raise MercerError("KernelPerceptron compares rows, not a Gram matrix. SVC takes kernel='precomputed'.")
        self.kernel_ = kernel.fit(table, weight=turns)
        k = self._n_planes
        self.dual_coef_, self.intercept_ = np.zeros((k, 0)), np.zeros(k)
        self.radius2_ = 0.0
        self.support_ = table.take(slice(0, 0))
        self.n_iter_, self.mistakes_, self.separated_ = 0, 0.0, False

    def _gram(self, a: Table, b: Table) -> Floats:
        if not len(a) or not len(b):
            return np.zeros((len(a), len(b)))
        return np.asarray(self.kernel_.gram(a, b, dtype=np.float64))

    def _run(self, rows: Table, signs: Floats, turns: Floats, drive: Any) -> None:
        """Passes over these rows on top of the support rows known before; then keep those with a coefficient."""
        n = len(signs)
        held = self._gram(rows, rows) if n <= _HELD else None
        before = self._gram(rows, self.support_) @ self.dual_coef_.T  # what earlier rows say
        coef = self._new = np.zeros((len(self.dual_coef_), n))

        def block(now: NDArray[np.intp], others: NDArray[np.intp]) -> Floats:
            if held is not None:
                return held[np.ix_(now, others)]
            return self._gram(rows.take(now), rows.take(others))

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
        self.support_ = _join(self.support_, rows.take(active))

    def _snapshot(self) -> tuple[Floats, Floats]:
        return self._new.copy(), self.intercept_.copy()

    def _recall(self, snapshot: tuple[Floats, Floats]) -> None:
        self._new[:], self.intercept_[:] = snapshot

    def _diagonal(self, rows: Table) -> Floats:
        return np.asarray(self.kernel_.diag(rows, dtype=np.float64))

    def _scores(self, table: Table) -> Floats:
        chunks = table.chunks(4096)
        parts = [self._gram(rows, self.support_) @ self.dual_coef_.T + self.intercept_ for rows in chunks]
        return np.vstack(parts) if parts else np.zeros((0, len(self.intercept_)))

    def explain(self, X: Any) -> list[SupportPath]:
        """For each row the support rows that move its score; of several classes, the best against the runner-up."""
        table = self._predict_table(X)
        similarity = self._gram(table, self.support_)
        chosen, other = self._two_sides(similarity @ self.dual_coef_.T + self.intercept_)
        coef, b = self._both_sides(self.dual_coef_.T).T, self._both_sides(self.intercept_[None])[0]
        return [
            support_path(similarity[i], coef[c] - coef[o], float(b[c] - b[o]), (self.classes_[c], self.classes_[o]))
            for i, (c, o) in enumerate(zip(chosen, other, strict=True))
        ]

    def _fitted_state(self) -> State:
        return self._outcome_state() | {
            "kernel": self.kernel_.to_state(),
            "rows": table_state(self.support_),
            "dual_coef": self.dual_coef_,
            "intercept": self.intercept_.copy(),
            "radius2": self.radius2_,
        }

    def _restore_fitted(self, state: Reader) -> None:
        self._restore_outcome(state)
        self.kernel_ = Kernel.from_state(state.child("kernel"))
        self.support_ = table_from_state(state.child("rows"))
        if self.support_.schema.columns != self.schema_.columns:
            raise state.refuse("rows", "the columns of the model")
        self.dual_coef_ = state.array("dual_coef", "float64", (self._n_planes, len(self.support_)))
        self.intercept_ = state.array("intercept", "float64", (self._n_planes,))
        self.radius2_ = state.number("radius2", 0.0, float(np.finfo(float).max))


def _join(first: Table, second: Table) -> Table:
    """Rows one after the other."""
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
