"""The perceptron with a kernel in place of the inner product."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from mercer.arrays import Floats
from mercer.docstrings import shares_docs
from mercer.errors import MercerError
from mercer.estimators.common.class_weight import ClassWeight
from mercer.estimators.common.pairwise_input import is_texts, texts_table
from mercer.estimators.kernel.explain import SupportPath, support_path
from mercer.estimators.perceptron.base import PASS_PARAMETERS, PERCEPTRON_DOCS, PerceptronBase
from mercer.estimators.perceptron.passes import Examples, class_scores, compared_classes
from mercer.kernels import KERNEL, Kernel, KernelLike, Precomputed, as_kernel
from mercer.kernels.numeric.gamma import GAMMA, Gamma
from mercer.parameters import Number, Parameters
from mercer.solvers.perceptron import BLOCK, run_block
from mercer.state import Reader, State
from mercer.table import Table, table_from_state, table_state

_GRAM_ROWS = 4000  # up to here the Gram matrix of the rows is computed once and kept: 128 MB
_PREDICT_ROWS = 4096  # compared with the support rows at a time


@shares_docs(**PERCEPTRON_DOCS)
class KernelPerceptron(PerceptronBase):
    """f(x) = sign(sum_j a_j y_j k(x_j, x) + b);  at each mistake on row i:  a_i <- a_i + eta0,  b <- b + eta0 y_i R^2.

    R^2 = max k(x, x). The perceptron in the feature space of the kernel: it separates whatever the kernel can tell
    apart. Stops as Perceptron does. A kernel's name means what it means in SVC (`mercer.kernels.as_kernel`): the kernel
    on the numbers as they are, and on standardised numbers and levels where there are categories.

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
    {eta0}
    {margin}
    {max_iter}
    {n_iter_no_change}
    {shuffle}
    {random_state}
    {class_weight}
    {kinds}

    Attributes
    ----------
    {classes_}
    kernel_ : Kernel
        The fitted kernel.
    support_ : Table
        The support rows x_j.
    dual_coef_ : ndarray of shape (1 or n_classes, n_support)
        a_j y_j of the support rows.
    intercept_ : ndarray of shape (1 or n_classes,)
        b.
    radius2_ : float
        R^2.
    {separated_}
    {n_iter_}
    {mistakes_}
    {link_}
    {schema_}
    {n_features_in_}
    {feature_names_in_}

    Examples
    --------
    >>> import mercer
    >>> model = mercer.KernelPerceptron().fit([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0])
    >>> model.separated_, model.predict([[0, 0], [0, 1], [1, 0], [1, 1]]).tolist()
    (True, [0, 1, 1, 0])
    """

    parameters: ClassVar[Parameters] = {
        **PASS_PARAMETERS,
        "kernel": KERNEL,
        "gamma": GAMMA,
        "degree": Number(0, whole=True),
        "coef0": Number(),
    }
    _advice = "Use another kernel or a larger gamma,"

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
        shuffle: bool = True,
        random_state: int | np.random.RandomState | None = 0,
        class_weight: ClassWeight = None,
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
        self.shuffle = shuffle
        self.random_state = random_state
        self.class_weight = class_weight
        self.kinds = kinds

    def _array_table(self, X: Any, *, reset: bool) -> Table:
        is_function = callable(self.kernel) and not isinstance(self.kernel, Kernel)
        return (
            texts_table(self, X, reset=reset) if is_function and is_texts(X) else super()._array_table(X, reset=reset)
        )

    @property
    def _flags_missing(self) -> bool:
        return isinstance(self.kernel, str | Kernel)

    def _begin(self, examples: Examples) -> None:
        schema = examples.table.schema
        kernel = as_kernel(self.kernel, schema, gamma=self.gamma, coef0=self.coef0, degree=self.degree)
        if isinstance(kernel, Precomputed):
            raise MercerError("KernelPerceptron compares rows, not a Gram matrix. SVC takes kernel='precomputed'.")
        self.kernel_ = kernel.fit(examples.table, weight=examples.repeats)
        self.support_ = examples.table.take(slice(0, 0))
        self.dual_coef_, self.intercept_ = np.zeros((self._n_planes, 0)), np.zeros(self._n_planes)
        self.radius2_ = 0.0

    def _trainer(self, examples: Examples) -> DualTrainer:
        return DualTrainer(self, examples)

    def _gram(self, a: Table, b: Table) -> Floats:
        if not len(a) or not len(b):
            return np.zeros((len(a), len(b)))
        return np.asarray(self.kernel_.gram(a, b, dtype=np.float64))

    def _scores(self, table: Table) -> Floats:
        chunks = table.chunks(_PREDICT_ROWS)
        parts = [self._gram(rows, self.support_) @ self.dual_coef_.T + self.intercept_ for rows in chunks]
        return np.vstack(parts) if parts else np.zeros((0, len(self.intercept_)))

    @shares_docs()
    def explain(self, X: Any) -> list[SupportPath]:
        """The support rows that move the score of each row.

        Parameters
        ----------
        {X}

        Returns
        -------
        explanations : list of SupportPath
            Of two classes, for the second against the first; of several, for the best against the runner-up.
        """
        table = self._predict_table(X)
        similarity = self._gram(table, self.support_)
        chosen, other = compared_classes(similarity @ self.dual_coef_.T + self.intercept_)
        coef, b = class_scores(self.dual_coef_.T).T, class_scores(self.intercept_[None])[0]
        return [
            support_path(similarity[i], coef[c] - coef[o], float(b[c] - b[o]), (self.classes_[c], self.classes_[o]))
            for i, (c, o) in enumerate(zip(chosen, other, strict=True))
        ]

    def _fitted_state(self) -> State:
        return super()._fitted_state() | {
            "kernel": self.kernel_.to_state(), "rows": table_state(self.support_), "dual_coef": self.dual_coef_,
            "intercept": self.intercept_.copy(), "radius2": self.radius2_,
        }  # fmt: skip

    def _restore_fitted(self, state: Reader) -> None:
        super()._restore_fitted(state)
        self.kernel_ = Kernel.from_state(state.child("kernel"))
        self.support_ = table_from_state(state.child("rows"))
        if self.support_.schema.columns != self._learned_schema.columns:
            raise state.refuse("rows", "the columns of the model")
        self.dual_coef_ = state.array("dual_coef", "float64", (self._n_planes, len(self.support_)))
        self.intercept_ = state.array("intercept", "float64", (self._n_planes,))
        self.radius2_ = state.number("radius2", 0.0)


class DualTrainer:
    """Finds coefficients of some rows, on top of the support rows known before."""

    def __init__(self, model: KernelPerceptron, examples: Examples) -> None:
        self.model = model
        self.examples = examples
        self.steps = model.eta0 * examples.factor
        rows = examples.table
        self.gram = model._gram(rows, rows) if len(rows) <= _GRAM_ROWS else None
        self.scores = model._gram(rows, model.support_) @ model.dual_coef_.T  # of all rows, without the intercept
        self.coef = np.zeros((len(model.dual_coef_), len(rows)))
        squares = model.kernel_.diag(rows, dtype=np.float64) if self.gram is None else self.gram.diagonal()
        model.radius2_ = max(model.radius2_, float(squares.max(initial=0.0)))

    def _block(self, now: NDArray[np.intp]) -> Floats:
        """k of some rows with each other."""
        if self.gram is not None:
            return self.gram[np.ix_(now, now)]
        rows = self.examples.table.take(now)
        return self.model._gram(rows, rows)

    def _columns(self, now: NDArray[np.intp]) -> Floats:
        """k of all rows with some, (n_rows, len(now))."""
        if self.gram is not None:
            return self.gram[now].T  # symmetric: rows lie together in memory
        return self.model._gram(self.examples.table, self.examples.table.take(now))

    def one_pass(self, order: NDArray[np.intp]) -> float:
        """Show the rows in this order, block by block; the mistakes, by weight."""
        examples, intercept, radius2 = self.examples, self.model.intercept_, self.model.radius2_
        mistakes = 0.0
        for start in range(0, len(order), BLOCK):
            now = order[start : start + BLOCK]
            scores, moves = self.scores[now] + intercept, np.zeros((len(self.coef), len(now)))
            products = self._block(now) + radius2
            for k in range(len(self.coef)):
                signs, score = examples.signs[now, k], np.ascontiguousarray(scores[:, k])
                wrong = run_block(products, score, signs, examples.repeats[now], self.steps[now], self.model.margin)
                moves[k] = self.steps[now] * wrong * signs
                intercept[k] += moves[k].sum() * radius2
                mistakes += float(wrong @ examples.factor[now])
            self._move(now, moves)
        return mistakes

    def _move(self, now: NDArray[np.intp], moves: Floats) -> None:
        """Add moves (n_planes, len(now)) to the coefficients of these rows."""
        moved = np.flatnonzero(moves.any(axis=0))
        if len(moved):
            self.coef[:, now] += moves
            self.scores += self._columns(now[moved]) @ moves[:, moved].T

    def train_scores(self) -> Floats:
        """The scores of the rows."""
        return self.scores + self.model.intercept_

    def snapshot(self) -> tuple[Floats, Floats, Floats]:
        """The coefficients, scores and intercepts."""
        return self.coef.copy(), self.scores.copy(), self.model.intercept_.copy()

    def restore(self, snapshot: tuple[Floats, Floats, Floats]) -> None:
        """Back to the coefficients, scores and intercepts of a snapshot."""
        self.coef[:], self.scores[:], self.model.intercept_[:] = snapshot

    def finish(self) -> Floats:
        """Rows with a coefficient become support rows; the scores of all rows."""
        active = np.flatnonzero(self.coef.any(axis=0))
        self.model.dual_coef_ = np.hstack([self.model.dual_coef_, self.coef[:, active]])
        self.model.support_ = stack(self.model.support_, self.examples.table.take(active))
        return self.model._scores(self.examples.table)


def stack(first: Table, second: Table) -> Table:
    """Two tables of the same schema, one below the other."""
    if not len(first):
        return second
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
