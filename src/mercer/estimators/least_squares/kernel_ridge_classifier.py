"""Classification by kernel ridge regression on +1 and -1."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Literal

from mercer.docstrings import shares_docs
from mercer.estimators.common.weights.class_weight import ClassWeight
from mercer.estimators.kernel.choice import Gamma
from mercer.estimators.kernel.rows import Precision
from mercer.estimators.least_squares.classifier import LeastSquaresClassifier
from mercer.estimators.least_squares.parameters import (
    CLASSIFIER_DOCS,
    CLASSIFIER_PARAMETERS,
    LEAST_SQUARES_DOCS,
    Probability,
    Solver,
)
from mercer.estimators.multiclass.strategy import Strategy
from mercer.kernels import KernelLike
from mercer.parameters import Number, Parameters
from mercer.select.grid import Grid
from mercer.state import LARGEST
from mercer.table.missingness import MissingIndicator


@shares_docs(**LEAST_SQUARES_DOCS, **CLASSIFIER_DOCS)
class KernelRidgeClassifier(LeastSquaresClassifier):
    """f_c(x) = k(x)'(K + alpha W^-1)^-1 y_c, y_c = +1 in class c and -1 elsewhere; the class of the largest f_c.

    Kernel ridge regression on each class against the rest, all of them by one factorisation of the kernel matrix, as
    scikit-learn's RidgeClassifier does without a kernel. Any table is taken as it is.

    Parameters
    ----------
    alpha : float or "cv", default 1.0
        Penalty, at least 0; "cv" searches it among 50 (or those of the grid) by accuracy on rows each left out in
        closed form.
    {ridge_kernel}
    {gamma_cv}
    {degree}
    {coef0}
    {class_weight}
    {loo_probability}
    {solver}
    {cg_tol}
    {cg_max_iter}
    {time_limit}
    {ridge_cache_size}
    {ridge_precision}
    {kinds}
    {loo_grid}
    {n_jobs}
    {missing_indicator}

    Attributes
    ----------
    {classes_}
    {class_weight_}
    alpha_ : float
        The penalty, as given or as found by "cv".
    {svm_gamma_}
    {tuning_}
    dual_coef_ : ndarray of shape (n_problems, n_support)
        Coefficients of the training rows, for each class, or for the second of two.
    {loo_calibrators_}
    {ridge_attributes}
    {schema_}
    {n_features_in_}
    {feature_names_in_}

    Examples
    --------
    >>> import mercer
    >>> rows = {"age": [25, 31, 47, 52], "job": ["clerk", "sales", "clerk", "smith"]}
    >>> model = mercer.KernelRidgeClassifier(alpha=0.1).fit(rows, ["no", "no", "yes", "yes"])
    >>> model.predict({"age": [50, 28], "job": [None, "pilot"]})
    array(['yes', 'no'], dtype='<U3')
    """

    parameters: ClassVar[Parameters] = {**CLASSIFIER_PARAMETERS, "alpha": Number(0, LARGEST, words=("cv",))}
    tunable: ClassVar[tuple[str, ...]] = ("alpha", "gamma")
    intercept: ClassVar[bool] = False
    multi_class: Strategy = "ovr"

    def __init__(
        self,
        alpha: float | Literal["cv"] = 1.0,
        *,
        kernel: KernelLike = "rbf",
        gamma: Gamma = "scale",
        degree: int = 3,
        coef0: float = 0.0,
        class_weight: ClassWeight = None,
        probability: Probability = None,
        solver: Solver = "auto",
        tol: float = 1e-8,
        max_iter: int = -1,
        time_limit: float | None = None,
        cache_size: float | None = None,
        precision: Precision = "double",
        kinds: Mapping[str, Any] | None = None,
        grid: Grid | None = None,
        n_jobs: int | None = None,
        missing_indicator: MissingIndicator = "auto",
    ) -> None:
        self.alpha = alpha
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.class_weight = class_weight
        self.probability = probability
        self.solver = solver
        self.tol = tol
        self.max_iter = max_iter
        self.time_limit = time_limit
        self.cache_size = cache_size
        self.precision = precision
        self.kinds = kinds
        self.grid = grid
        self.n_jobs = n_jobs
        self.missing_indicator = missing_indicator
