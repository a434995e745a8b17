"""Rosenblatt's perceptron on mixed tables."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any, ClassVar, Literal, Self

import numpy as np
import scipy.sparse as sp
from sklearn.linear_model._base import SparseCoefMixin
from sklearn.utils.metaestimators import available_if

from mercer._core.reference.perceptron import PassOptions
from mercer.arrays import Floats, Ints
from mercer.docstrings import shares_docs
from mercer.errors import BadParameter
from mercer.estimators.common.explanations.explanation import Explanation
from mercer.estimators.common.sklearn_api.convergence import StoppedShort
from mercer.estimators.common.weights.class_weight import ClassWeight, class_factors
from mercer.estimators.perceptron.base import (
    PERCEPTRON_DOCS,
    PERCEPTRON_PARAMETERS,
    PerceptronBase,
    fit_link,
    known_codes,
)
from mercer.estimators.perceptron.explain import explain_scores
from mercer.estimators.perceptron.hyperplanes import Average, Hyperplanes
from mercer.estimators.perceptron.terms import Terms
from mercer.estimators.perceptron.training import TrainingRows, hold_out, plane_seeds, train_planes
from mercer.parameters import VERBOSE, Choice, Flag, Number, Parameters, check_parameters
from mercer.solvers.perceptron import StopRule
from mercer.state import Reader, State
from mercer.table import CATEGORICAL, Kind, Table
from mercer.table.target import class_codes

Penalty = Literal["l2", "l1", "elasticnet", None]
Auto = Literal["auto", True, False]
_SPARSE_OFFSET = 0.01  # of the steps of b on sparse rows, as in scikit-learn: their columns are rarely filled


def _has_probabilities(model: Any) -> bool:
    return bool(model.probability)


@shares_docs(**PERCEPTRON_DOCS)
class Perceptron(SparseCoefMixin, PerceptronBase):
    """f(x) = sign(w'x + b);  at each mistake, y (w'x + b) <= margin:  w <- w + eta0 y x,  b <- b + eta0 y.

    Rows are shown pass after pass, each in a random order (Rosenblatt 1958), until the mean loss max(0, -y f(x)) no
    longer falls. On arrays and numeric data frames w is that after the last pass, as in scikit-learn, and so are the
    steps of b on sparse rows, 0.01 eta0 y. More than two classes: each against the rest. Levels, words and missing
    cells become numbers as in LinearRegression.

    Parameters
    ----------
    penalty : {"l2", "l1", "elasticnet"} or None, default None
        Penalty alpha ((1 - l1_ratio) |w|^2 / 2 + l1_ratio |w|_1) that every row takes a step against; l1_ratio is 0
        for "l2" and 1 for "l1".
    alpha : float, default 0.0001
        Factor of the penalty.
    l1_ratio : float, default 0.15
        Share of |w|_1 in the penalty "elasticnet".
    {fit_intercept}
    max_iter : int, default 1000
        Largest number of passes of `fit`.
    tol : float or None, default 1e-3
        By how much a pass must be better than the best before; None makes all `max_iter` passes.
    {shuffle}
    {verbose_0}
    {eta0}
    {n_jobs}
    {random_state}
    early_stopping : bool, default False
        Whether passes are scored by the accuracy on rows held out, in place of the mean loss and penalty.
    validation_fraction : float, default 0.1
        Share of each class that `early_stopping` holds out.
    n_iter_no_change : int, default 5
        Number of passes after which the fit stops if none of them was better by `tol`.
    class_weight : dict, "balanced" or None, default None
        Factor on the steps of the rows of each class, against the rest on those of the class alone; "balanced" is
        n_rows / (n_classes * rows of the class).
    warm_start : bool, default False
        Whether `fit` starts at the hyperplanes of the last one.
    {margin}
    average : {False, True, "voted"}, default False
        False takes one w; True the mean of w over all rows shown (Freund & Schapire 1999); with "voted" each w votes
        with the number of rows it classified before it moved. Not with a penalty.
    pocket : {"auto", True, False}, default "auto"
        Whether w is that after the pass which left the fewest training rows misclassified (Gallant 1990), rather than
        the last; "auto": in tables with categories or texts, unless there is an average.
    scale : {"auto", True, False}, default "auto"
        Whether numbers are standardised: centred, unless the matrix is sparse, and divided by their standard deviation;
        "auto": in tables with categories or texts.
    probability : bool, default False
        Whether there is `predict_proba`, by a logistic curve of the scores.
    {kinds}

    Attributes
    ----------
    {classes_}
    coef_ : ndarray of shape (1 or n_classes, n_terms)
        w, in the units of the columns; the mean with an average.
    intercept_ : ndarray of shape (1 or n_classes,)
        b.
    n_iter_ : int
        Number of passes, the largest of all hyperplanes; of the last call.
    t_ : float
        1 + number of rows shown to each hyperplane.
    {separated_}
    mistakes_ : int
        Mistakes during the last pass, of all hyperplanes.
    {link_}
    {term_names_}
    terms_ : Terms
        How columns become terms, and how these are standardised.
    planes_ : Hyperplanes
        The hyperplanes of those terms.
    {schema_}
    {n_features_in_}
    {feature_names_in_}

    Examples
    --------
    >>> import mercer
    >>> rows = [[0.0, 1.0], [1.0, 3.0], [3.0, 1.0], [4.0, 2.0]]
    >>> model = mercer.Perceptron().fit(rows, ["left", "left", "right", "right"])
    >>> model.separated_, model.predict([[5.0, 0.0]]).tolist()
    (True, ['right'])
    """

    booleans_are_numbers = True
    parameters: ClassVar[Parameters] = {
        **PERCEPTRON_PARAMETERS,
        "penalty": Choice(Penalty),
        "alpha": Number(0.0),
        "l1_ratio": Number(0.0, 1.0),
        "fit_intercept": Flag(),
        "tol": Number(0.0, optional=True),
        "verbose": VERBOSE,
        "n_jobs": Number(whole=True, optional=True),
        "early_stopping": Flag(),
        "validation_fraction": Number(0.0, 1.0, above=True, below=True),
        "warm_start": Flag(),
        "average": Choice(Average),
        "pocket": Choice(Auto),
        "scale": Choice(Auto),
        "probability": Flag(),
    }

    def __init__(
        self,
        *,
        penalty: Penalty = None,
        alpha: float = 0.0001,
        l1_ratio: float = 0.15,
        fit_intercept: bool = True,
        max_iter: int = 1000,
        tol: float | None = 1e-3,
        shuffle: bool = True,
        verbose: int = 0,
        eta0: float = 1.0,
        n_jobs: int | None = None,
        random_state: int | np.random.RandomState | None = 0,
        early_stopping: bool = False,
        validation_fraction: float = 0.1,
        n_iter_no_change: int = 5,
        class_weight: ClassWeight = None,
        warm_start: bool = False,
        margin: float = 0.0,
        average: Average = False,
        pocket: Auto = "auto",
        scale: Auto = "auto",
        probability: bool = False,
        kinds: Mapping[str, Any] | None = None,
    ) -> None:
        self.penalty = penalty
        self.alpha = alpha
        self.l1_ratio = l1_ratio
        self.fit_intercept = fit_intercept
        self.max_iter = max_iter
        self.tol = tol
        self.shuffle = shuffle
        self.verbose = verbose
        self.eta0 = eta0
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.early_stopping = early_stopping
        self.validation_fraction = validation_fraction
        self.n_iter_no_change = n_iter_no_change
        self.class_weight = class_weight
        self.warm_start = warm_start
        self.margin = margin
        self.average = average
        self.pocket = pocket
        self.scale = scale
        self.probability = probability
        self.kinds = kinds

    @shares_docs()
    def fit(self, X: Any, y: Any, coef_init: Any = None, intercept_init: Any = None, sample_weight: Any = None) -> Self:
        """Pass over the rows until no pass is better than the best for long.

        Parameters
        ----------
        {X}
        {y_class}
        coef_init : array-like of shape (1 or n_classes, n_terms) or None, default None
            Coefficients to start from; None for 0, or for those of the last fit with `warm_start`.
        intercept_init : array-like of shape (1 or n_classes,) or None, default None
            Intercepts to start from, likewise.
        sample_weight : array-like of shape (n_rows,) or None, default None
            Factor on the steps of each row, at least 0; None for 1. A factor on all weights is one on `eta0`, as in
            scikit-learn.

        Returns
        -------
        {self}
        """
        self._check_options()
        if self.warm_start and hasattr(self, "coef_"):
            coef_init = self.coef_ if coef_init is None else coef_init
            intercept_init = self.intercept_ if intercept_init is None else intercept_init
        table = self._fit_table(X)
        codes = self._fit_labels(y, len(table))
        self._begin(table, coef_init, intercept_init)
        self._train(table, codes, sample_weight, self.max_iter)
        if self.tol is not None and self.n_iter_ == self.max_iter:
            warnings.warn(
                "Maximum number of iteration reached before convergence. Consider increasing max_iter to improve the "
                f"fit: {self.mistakes_} mistakes in pass {self.n_iter_}.",
                StoppedShort,
                stacklevel=2,
            )
        return self

    @shares_docs()
    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """One pass over further rows; the first decide on levels, words, medians and standardisation.

        Parameters
        ----------
        {X}
        {y_class}
        classes : array-like of shape (n_classes,) or None, default None
            All classes that will occur, in the first call; None for those of its y.
        sample_weight : array-like of shape (n_rows,) or None, default None
            Factor on the steps of each row, at least 0; None for 1.

        Returns
        -------
        {self}
        """
        self._check_options()
        if isinstance(self.class_weight, str):
            raise BadParameter(
                "class_weight 'balanced' is not supported for partial_fit: class_weight='balanced' needs all rows at "
                "once. Pass a dict of weights."
            )
        if hasattr(self, "planes_"):
            table = self._predict_table(X)
            labels, codes = class_codes(y, len(table))
            codes = known_codes(labels[codes], self.classes_)
        else:
            table = self._fit_table(X)
            codes = self._fit_labels(y, len(table))
            if classes is not None:
                known = np.unique(classes)
                codes, self.classes_ = known_codes(self.classes_[codes], known), known
            self._begin(table)
        self._train(table, codes, sample_weight, 1)
        return self

    def _check_options(self) -> None:
        check_parameters(self)
        if self.penalty is not None and self.average:
            both = f"average={self.average!r} with penalty={self.penalty!r}"
            raise BadParameter(f"{both}: the average is of hyperplanes that only mistakes move. Leave one out.")

    def _begin(self, table: Table, coef: Any = None, intercept: Any = None) -> None:
        """Learn the terms, and set the hyperplanes to where they start."""
        self._expect_two_classes()
        self.terms_ = Terms.learn(table, standardised=self._is_mixed if self.scale == "auto" else self.scale)
        self.planes_ = Hyperplanes.zero(self._n_planes, len(self.terms_), self.average)
        self.t_ = 1.0
        if coef is not None or intercept is not None:
            self.planes_.start_at(*self.terms_.from_units(*self.planes_.checked_start(coef, intercept)))

    @property
    def _is_mixed(self) -> bool:
        return bool(self.schema_.of_kind(*CATEGORICAL, Kind.TEXT))

    def _train(self, table: Table, codes: Ints, sample_weight: Any, max_iter: int) -> None:
        rows = self._training_rows(table, codes, sample_weight)
        ratio = {"l1": 1.0, "elasticnet": self.l1_ratio}.get(str(self.penalty), 0.0)
        offset_step = 0.0 if not self.fit_intercept else _SPARSE_OFFSET if table.is_sparse else 1.0
        options = PassOptions(self.margin, offset_step, self.alpha if self.penalty else 0.0, ratio, self.eta0)
        n_planes = self._n_planes
        passes = train_planes(
            rows, self.planes_, options, StopRule(max_iter, self.tol, self.n_iter_no_change),
            seeds=plane_seeds(self.random_state, n_planes) if self.shuffle else [None] * n_planes,
            pocket=not self.average and (self._is_mixed if self.pocket == "auto" else self.pocket), n_jobs=self._jobs,
        )  # fmt: skip
        self.n_iter_ = max(p.n_iter for p in passes)
        self.mistakes_ = sum(p.mistakes for p in passes)
        self.separated_ = self.mistakes_ == 0
        self.t_ += self.n_iter_ * len(table)
        self._set_coefficients(rows.x.dtype)
        if self.probability:
            weight = rows.factors[codes] if rows.weight is None else rows.factors[codes] * rows.weight
            self.link_ = fit_link(self._scores(table), codes, np.maximum(weight, 1e-300))

    def _training_rows(self, table: Table, codes: Ints, sample_weight: Any) -> TrainingRows:
        weight, held_out = self._weights(sample_weight, len(table)), None
        if self.early_stopping:
            held_out = hold_out(codes, weight, self.validation_fraction, self.random_state)
        factors = class_factors(self.class_weight, self.classes_, codes, None)
        return TrainingRows(self.terms_.rows(table), codes, factors, weight, held_out)

    def _set_coefficients(self, dtype: Any) -> None:
        """Numbers of single precision have coefficients of single precision, as in scikit-learn."""
        w, b = self.terms_.in_units(*self.planes_.final())
        self.coef_, self.intercept_ = w.astype(dtype, copy=False), b.astype(dtype, copy=False)

    def _scores(self, table: Table) -> Floats:
        if self.average == "voted":
            return self.planes_.vote_balance(self.terms_.rows(table))
        scores = self.terms_.design.matrix(table) @ self.coef_.T
        return np.asarray(scores.toarray() if sp.issparse(scores) else scores) + self.intercept_

    @available_if(_has_probabilities)  # type: ignore[untyped-decorator]
    @shares_docs()
    def predict_proba(self, X: Any) -> Floats:
        """P(c | x) by a logistic curve of the score, with `probability`.

        Parameters
        ----------
        {X}

        Returns
        -------
        {probabilities}
        """
        return self._probabilities(X)

    @property
    def term_names_(self) -> list[str]:
        """The term that each column of `coef_` belongs to."""
        return list(self.terms_.design.names)

    @shares_docs()
    def explain(self, X: Any) -> Explanation:
        """What each column adds to the score of each row, compared with an average row (of sparse rows, with zeros).

        With `probability` these are log odds, which add up to those of `predict_proba`; otherwise scores. A vote is no
        sum over columns: with average="voted" the scores explained are those of the mean hyperplane.

        Parameters
        ----------
        {X}

        Returns
        -------
        explanation : Explanation
            Of two classes, for the second against the first; of several, for the best against the runner-up.
        """
        return explain_scores(self, self._predict_table(X))

    def _explain_columns(self, X: Any) -> Explanation | None:
        """What each column adds to the score: exact; None for votes, which are no sum over columns."""
        return None if self.average == "voted" else self.explain(X)

    def _fitted_state(self) -> State:
        state = super()._fitted_state() | {
            "terms": self.terms_.to_state(), "planes": self.planes_.to_state(), "mistakes": int(self.mistakes_),
            "shown": float(self.t_), "single": self.intercept_.dtype == np.float32,
        }  # fmt: skip
        return state | ({"link": self.link_} if self.probability else {})

    def _restore_fitted(self, state: Reader) -> None:
        super()._restore_fitted(state)
        self.terms_ = Terms.from_state(state.child("terms"), self.schema_)
        size = len(self.terms_)
        self.planes_ = Hyperplanes.from_state(state.child("planes"), self._n_planes, size, self.average)
        self.mistakes_, self.t_ = state.integer("mistakes"), state.number("shown", 1.0)
        if self.probability:
            self.link_ = state.number("link", 0.0)
        self._set_coefficients(np.float32 if state.flag("single") else np.float64)
