"""The perceptron with a kernel in place of the inner product."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.utils import check_random_state

from mercer._core.threads import single_blas_thread
from mercer.arrays import Floats, Ints
from mercer.docstrings import shares_docs
from mercer.errors import BadParameter, MercerError, MercerWarning
from mercer.estimators.common.explanations.compared import class_scores, compared_classes
from mercer.estimators.common.pairwise_input import is_texts, texts_table
from mercer.estimators.common.weights.class_weight import ClassWeight, class_factors
from mercer.estimators.common.weights.sample_weight import row_counts
from mercer.estimators.kernel.explain import SupportPath, support_path
from mercer.estimators.kernel.rows import refuse_infinite_sums, restore_kernel
from mercer.estimators.perceptron.base import (
    PERCEPTRON_DOCS,
    PERCEPTRON_PARAMETERS,
    PerceptronBase,
    class_signs,
    fit_link,
    known_codes,
)
from mercer.estimators.perceptron.kernel.dual import DualTrainer
from mercer.estimators.perceptron.kernel.passes import Examples, run_passes
from mercer.kernels import KERNEL, Kernel, KernelLike, Precomputed, as_kernel
from mercer.kernels.numeric.gamma import GAMMA, Gamma
from mercer.parameters import Number, Parameters, check_parameters
from mercer.state import Reader, State
from mercer.table import Table, table_from_state, table_state
from mercer.table.missingness import MISSING_INDICATOR, MissingIndicator
from mercer.table.target import class_codes

KERNEL_DOCS = PERCEPTRON_DOCS | {
    "max_iter": """
        max_iter : int, default 1000
            Largest number of passes.""",
    "n_iter_no_change": """
        n_iter_no_change : int, default 50
            Number of passes after which the fit stops if none of them was better: fewer training rows misclassified
            after the pass, or as many and fewer mistakes during it.""",
    "class_weight": """
        class_weight : dict, "balanced" or None, default None
            Factor on the step, and on the count of mistakes, of the rows of each class; "balanced" makes the classes
            weigh alike in sum.""",
    "n_iter_": """
        n_iter_ : int
            Number of passes.""",
    "mistakes_": """
        mistakes_ : float
            Mistakes during the last pass, by the weight of rows and classes.""",
    "repeats": """
        sample_weight : array-like of shape (n_rows,) or None, default None
            How often each row is shown, one time after the other; 0.5 has half a step. In `fit` a common factor changes
            nothing: whole multiples of the smallest positive weight are numbers of times, other weights are scaled to a
            mean of 1. In `partial_fit` weights are taken as they are, since they go with those of other calls.""",
}  # fmt: skip


@shares_docs(**KERNEL_DOCS)
class KernelPerceptron(PerceptronBase):
    """f(x) = sign(sum_j a_j y_j k(x_j, x) + b);  at each mistake on row i:  a_i <- a_i + eta0,  b <- b + eta0 y_i R^2.

    R^2 = max k(x, x). The perceptron in the feature space of the kernel: it separates whatever the kernel can tell
    apart. Passes go on until one is without mistakes; where none is, the model is that after the pass which left the
    fewest training rows misclassified (the pocket algorithm, Gallant 1990). A kernel's name means what it means in SVC
    (`mercer.kernels.as_kernel`): the kernel on the numbers as they are, and on standardised numbers and levels where
    there are categories.

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
    {missing_indicator}

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
        **PERCEPTRON_PARAMETERS,
        "missing_indicator": MISSING_INDICATOR,
        "kernel": KERNEL,
        "gamma": GAMMA,
        "degree": Number(0, whole=True),
        "coef0": Number(),
    }

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
        missing_indicator: MissingIndicator = "auto",
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
        self.missing_indicator = missing_indicator

    def _array_table(self, X: Any, *, reset: bool) -> Table:
        is_function = callable(self.kernel) and not isinstance(self.kernel, Kernel)
        return (
            texts_table(self, X, reset=reset) if is_function and is_texts(X) else super()._array_table(X, reset=reset)
        )

    @shares_docs(**KERNEL_DOCS)
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Pass over the rows until the classes are separated, or no pass is better than the best for long.

        Parameters
        ----------
        {X}
        {y_class}
        {repeats}

        Returns
        -------
        {self}
        """
        check_parameters(self)
        examples = self._first_examples(X, y, sample_weight, unit=row_counts)
        self._begin(examples)
        random = check_random_state(self.random_state) if self.shuffle else None
        limits = {"max_iter": self.max_iter, "n_iter_no_change": self.n_iter_no_change}
        with single_blas_thread():
            trainer = DualTrainer(self, examples)
            passes = run_passes(trainer, examples, **limits, random=random)
            scores = trainer.finish()
        self.n_iter_, self.mistakes_, self.separated_ = passes.n_iter, passes.mistakes, passes.separated
        if not passes.separated:
            warnings.warn(
                f"The classes did not separate: {passes.mistakes:g} mistakes in pass {passes.n_iter}; the model of the "
                f"best pass misclassifies training rows of weight {passes.errors:g}. Use another kernel or a "
                "larger gamma, or raise max_iter and n_iter_no_change.",
                MercerWarning,
                stacklevel=2,
            )
        self.link_ = fit_link(scores, examples.codes, examples.weight)
        return self

    @shares_docs(**KERNEL_DOCS)
    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """One pass over further rows, in their order.

        Parameters
        ----------
        {X}
        {y_class}
        classes : array-like of shape (n_classes,) or None, default None
            All classes that will occur, in the first call; None for those of its y.
        {repeats}

        Returns
        -------
        {self}
        """
        check_parameters(self)
        if isinstance(self.class_weight, str):
            raise BadParameter("class_weight='balanced' needs all rows at once: pass a dict to use partial_fit.")
        if not hasattr(self, "link_"):
            examples = self._first_examples(X, y, sample_weight, classes)
            self._begin(examples)
            self.n_iter_ = 0
        else:
            examples = self._further_examples(X, y, sample_weight)
        with single_blas_thread():
            trainer = DualTrainer(self, examples)
            self.mistakes_ = trainer.one_pass(np.arange(len(examples)))
            scores = trainer.finish()
        self.n_iter_ += 1
        self.separated_ = self.mistakes_ == 0
        self.link_ = fit_link(scores, examples.codes, examples.weight)
        return self

    def _first_examples(
        self, X: Any, y: Any, sample_weight: Any, classes: Any = None, *, unit: Callable[[Any], Any] | None = None
    ) -> Examples:
        """The rows of positive weight, `unit` applied to the weights; sets the schema and `classes_`."""
        table = self._fit_table(X)
        codes = self._fit_labels(y, len(table))
        weight = self._weights(sample_weight, len(table))
        weight = weight if unit is None else unit(weight)
        if weight is not None and not weight.all():
            table, codes, weight = table.take(weight > 0), codes[weight > 0], weight[weight > 0]
            present, places = np.unique(codes, return_inverse=True)
            codes, self.classes_ = places.astype(np.int32), self.classes_[present]
        if classes is not None:
            known = np.unique(classes)
            codes, self.classes_ = known_codes(self.classes_[codes], known), known
        self._expect_two_classes()
        if isinstance(self.kernel, str | Kernel):
            table = self._flag_missing(table, [codes], row_counts(weight))
        return self._examples(table, codes, weight)

    def _further_examples(self, X: Any, y: Any, sample_weight: Any) -> Examples:
        """Later rows, of the columns and classes that are known."""
        table = self._predict_table(X)
        labels, codes = class_codes(y, len(table))
        return self._examples(
            table, known_codes(labels[codes], self.classes_), self._weights(sample_weight, len(table))
        )

    def _examples(self, table: Table, codes: Ints, weight: Floats | None) -> Examples:
        factor = class_factors(self.class_weight, self.classes_, codes, weight)[codes]
        repeats = np.ones(len(table)) if weight is None else weight
        return Examples(table, codes, repeats, factor, class_signs(codes, len(self.classes_)))

    def _begin(self, examples: Examples) -> None:
        schema = examples.table.schema
        kernel = as_kernel(self.kernel, schema, gamma=self.gamma, coef0=self.coef0, degree=self.degree)
        if isinstance(kernel, Precomputed):
            raise MercerError("KernelPerceptron compares rows, not a Gram matrix. SVC takes kernel='precomputed'.")
        self.kernel_ = kernel.fit(examples.table, weight=examples.repeats, y=examples.codes)
        self.support_ = examples.table.take(slice(0, 0))
        self.dual_coef_, self.intercept_ = np.zeros((self._n_planes, 0)), np.zeros(self._n_planes)
        self.radius2_ = 0.0

    def _gram(self, a: Table, b: Table) -> Floats:
        if not len(a) or not len(b):
            return np.zeros((len(a), len(b)))
        return np.asarray(self.kernel_.gram(a, b, dtype=np.float64))

    @shares_docs()
    def predict_proba(self, X: Any) -> Floats:
        """P(c | x) by a logistic curve of the score.

        Parameters
        ----------
        {X}

        Returns
        -------
        {probabilities}
        """
        return self._probabilities(X)

    def _scores(self, table: Table) -> Floats:
        if not len(self.support_):
            return np.tile(self.intercept_, (len(table), 1))
        with np.errstate(over="ignore", invalid="ignore"):
            coef = np.ascontiguousarray(self.dual_coef_.T)
            scores = self.kernel_.product(table, self.support_, coef, dtype=np.float64) + self.intercept_
        refuse_infinite_sums(self.kernel_, scores)
        return scores

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
            "link": self.link_, "mistakes": float(self.mistakes_), "kernel": self.kernel_.to_state(),
            "rows": table_state(self.support_), "dual_coef": self.dual_coef_,
            "intercept": self.intercept_.copy(), "radius2": self.radius2_,
        }  # fmt: skip

    def _restore_fitted(self, state: Reader) -> None:
        super()._restore_fitted(state)
        self.link_, self.mistakes_ = state.number("link", 0.0), state.number("mistakes", 0.0)
        self.support_ = table_from_state(state.child("rows"))
        if self.support_.schema.columns != self._learned_schema.columns:
            raise state.refuse("rows", "the columns of the model")
        self.dual_coef_ = state.array("dual_coef", "float64", (self._n_planes, len(self.support_)))
        self.kernel_ = restore_kernel(state, self.support_, self.dual_coef_)
        self.intercept_ = state.array("intercept", "float64", (self._n_planes,))
        self.radius2_ = state.number("radius2", 0.0)
