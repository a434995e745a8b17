"""Support vector classification on any table and any kernel: SVC and NuSVC."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Literal

import numpy as np

from mercer.docstrings import shares_docs
from mercer.estimators.common.weights.class_weight import CLASS_WEIGHT, ClassWeight
from mercer.estimators.kernel.approximation.basis import APPROXIMATION, Approximation
from mercer.estimators.kernel.choice import Gamma
from mercer.estimators.kernel.machine import KERNEL_PARAMETERS
from mercer.estimators.kernel.rows import Precision
from mercer.estimators.kernel.training_rows import TrainingRows
from mercer.estimators.multiclass.strategy import Shape, Strategy
from mercer.estimators.svm.classifier import KernelClassifier, Probability
from mercer.estimators.svm.formulations import ClassLoss, CostClassification, NuClassification
from mercer.estimators.svm.search import COST, NU, SEARCHED_GAMMA
from mercer.kernels import KernelLike
from mercer.parameters import RANDOM_STATE, Choice, Flag, Parameters
from mercer.select.grid import GRID, Grid
from mercer.table.missingness import MissingIndicator

_CLASSIFIER: Parameters = {
    **KERNEL_PARAMETERS,
    "gamma": SEARCHED_GAMMA,
    "probability": Choice((True, False, "sigmoid", "isotonic", "deprecated")),
    "class_weight": CLASS_WEIGHT,
    "multi_class": Choice(Strategy),
    "decision_function_shape": Choice(Shape),
    "break_ties": Flag(),
    "transductive": Flag(),
    "random_state": RANDOM_STATE,
    "grid": GRID,
}


@shares_docs()
class SVC(KernelClassifier):
    """min 1/2 |w|^2 + C sum_i weight_i xi_i, with y_i (w.f(x_i) + b) >= 1 - xi_i and xi_i >= 0.

    A plane in the feature space f of a kernel, k(a, b) = f(a).f(b), with the widest margin between two classes. Several
    classes are compared pair by pair, or each with the rest, on one kernel matrix; pairs on a small one each where that
    is cheaper. Arrays, sparse matrices, data frames and mixed tables with missing cells are taken as they are.

    Parameters
    ----------
    C : float or "cv", default 1.0
        Cost of a margin error, above 0; infinity allows none (hard margin); "cv" searches it by cross-validation.
    {kernel}
    {degree}
    {gamma_cv}
    {coef0}
    {shrinking}
    {probability}
    {svm_tol}
    {cache_size}
    {class_weight}
    {verbose}
    {svm_max_iter}
    {decision_function_shape}
    {break_ties}
    {fold_random_state}
    loss : {"hinge", "squared_hinge"}, default "hinge"
        What an error costs: C xi, or C xi^2.
    {multi_class}
    {time_limit}
    {warm_start}
    {transductive}
    {precision}
    {kinds}
    {grid}
    {n_jobs}
    {missing_indicator}
    {approximation}
    {rank}
    {polish}

    Attributes
    ----------
    {classes_}
    {class_weight_}
    C_ : float
        The cost, as given or as found by "cv".
    {svm_gamma_}
    {tuning_}
    {svm_attributes}
    {approximation_error_}
    {prob_}
    {margin_}
    {n_bounded_}
    {calibrators_}
    {svm_code_book_}
    {schema_}
    {n_features_in_}
    {feature_names_in_}

    Examples
    --------
    >>> import mercer
    >>> rows = {"age": [25, 31, 47, 52], "job": ["clerk", "sales", "clerk", "smith"]}
    >>> model = mercer.SVC(C=10).fit(rows, ["no", "no", "yes", "yes"])
    >>> model.predict({"age": [50, 28], "job": [None, "pilot"]})
    array(['yes', 'no'], dtype='<U3')
    """

    parameters: ClassVar[Parameters] = {**_CLASSIFIER, **APPROXIMATION, "C": COST, "loss": Choice(ClassLoss)}
    tunable: ClassVar[tuple[str, ...]] = ("C", "gamma")

    def __init__(
        self,
        *,
        C: float | Literal["cv"] = 1.0,
        kernel: KernelLike = "rbf",
        degree: int = 3,
        gamma: Gamma = "scale",
        coef0: float = 0.0,
        shrinking: bool = True,
        probability: Probability = "deprecated",
        tol: float = 1e-3,
        cache_size: float | None = 200,
        class_weight: ClassWeight = None,
        verbose: bool | int = False,
        max_iter: int = -1,
        decision_function_shape: Shape = "ovr",
        break_ties: bool = False,
        random_state: int | np.random.RandomState | None = None,
        loss: ClassLoss = "hinge",
        multi_class: Strategy = "ovo",
        time_limit: float | None = None,
        warm_start: bool = False,
        transductive: bool = False,
        precision: Precision = "auto",
        kinds: Mapping[str, Any] | None = None,
        grid: Grid | None = None,
        n_jobs: int | None = None,
        missing_indicator: MissingIndicator = "auto",
        approximation: Approximation | None = None,
        rank: int | None = None,
        polish: bool = False,
    ) -> None:
        self.C = C
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.shrinking = shrinking
        self.probability = probability
        self.tol = tol
        self.cache_size = cache_size
        self.class_weight = class_weight
        self.verbose = verbose
        self.max_iter = max_iter
        self.decision_function_shape = decision_function_shape
        self.break_ties = break_ties
        self.random_state = random_state
        self.loss = loss
        self.multi_class = multi_class
        self.time_limit = time_limit
        self.warm_start = warm_start
        self.transductive = transductive
        self.precision = precision
        self.kinds = kinds
        self.grid = grid
        self.n_jobs = n_jobs
        self.missing_indicator = missing_indicator
        self.approximation = approximation
        self.rank = rank
        self.polish = polish

    def _formulate(self, data: TrainingRows, values: Mapping[str, Any]) -> CostClassification:
        # Far from the support vectors of a cell an offset would answer for all of them; without one the nearest do.
        bias = self.approximation != "cells" or not self._choice.is_local(data.table.schema)
        return CostClassification(values["C"], self.loss == "squared_hinge", self._multiclass, bias)


@shares_docs()
class NuSVC(KernelClassifier):
    """min 1/2 |w|^2 - nu rho + 1/n sum_i weight_i xi_i, with y_i (w.f(x_i) + b) >= rho - xi_i and xi_i, rho >= 0.

    SVC with nu in place of C: at most a share nu of the rows are margin errors, at least a share nu support vectors.

    Parameters
    ----------
    nu : float or "cv", default 0.5
        Above 0, up to 1, and at most twice the share of the smaller class of each pair; "cv" searches it by
        cross-validation.
    {kernel}
    {degree}
    {gamma_cv}
    {coef0}
    {shrinking}
    {probability}
    {svm_tol}
    {cache_size}
    {class_weight}
    {verbose}
    {svm_max_iter}
    {decision_function_shape}
    {break_ties}
    {fold_random_state}
    {multi_class}
    {time_limit}
    {warm_start}
    {transductive}
    {precision}
    {kinds}
    {grid}
    {n_jobs}
    {missing_indicator}

    Attributes
    ----------
    {classes_}
    {class_weight_}
    nu_ : float
        As given, or as found by "cv".
    {svm_gamma_}
    {tuning_}
    {svm_attributes}
    {prob_}
    {margin_}
    {n_bounded_}
    {calibrators_}
    {svm_code_book_}
    {schema_}
    {n_features_in_}
    {feature_names_in_}

    Examples
    --------
    >>> import mercer
    >>> model = mercer.NuSVC(nu=0.5).fit([[0.0], [1.0], [4.0], [5.0]], [0, 0, 1, 1])
    >>> model.predict([[0.5], [4.5]])
    array([0, 1])
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> model = mercer.NuSVC(nu="cv", gamma="cv", grid=mercer.Grid(nu=[0.05, 0.2], gamma=[0.1, 1], cv=3)).fit(X, y)
    >>> model.tuning_.best_params == {"nu": model.nu_, "gamma": model.gamma_}, model.tuning_.mean.shape
    (True, (2, 2))
    """

    parameters: ClassVar[Parameters] = {**_CLASSIFIER, "nu": NU}
    tunable: ClassVar[tuple[str, ...]] = ("nu", "gamma")

    def __init__(
        self,
        *,
        nu: float | Literal["cv"] = 0.5,
        kernel: KernelLike = "rbf",
        degree: int = 3,
        gamma: Gamma = "scale",
        coef0: float = 0.0,
        shrinking: bool = True,
        probability: Probability = "deprecated",
        tol: float = 1e-3,
        cache_size: float | None = 200,
        class_weight: ClassWeight = None,
        verbose: bool | int = False,
        max_iter: int = -1,
        decision_function_shape: Shape = "ovr",
        break_ties: bool = False,
        random_state: int | np.random.RandomState | None = None,
        multi_class: Strategy = "ovo",
        time_limit: float | None = None,
        warm_start: bool = False,
        transductive: bool = False,
        precision: Precision = "auto",
        kinds: Mapping[str, Any] | None = None,
        grid: Grid | None = None,
        n_jobs: int | None = None,
        missing_indicator: MissingIndicator = "auto",
    ) -> None:
        self.nu = nu
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.shrinking = shrinking
        self.probability = probability
        self.tol = tol
        self.cache_size = cache_size
        self.class_weight = class_weight
        self.verbose = verbose
        self.max_iter = max_iter
        self.decision_function_shape = decision_function_shape
        self.break_ties = break_ties
        self.random_state = random_state
        self.multi_class = multi_class
        self.time_limit = time_limit
        self.warm_start = warm_start
        self.transductive = transductive
        self.precision = precision
        self.kinds = kinds
        self.grid = grid
        self.n_jobs = n_jobs
        self.missing_indicator = missing_indicator

    def _formulate(self, data: TrainingRows, values: Mapping[str, Any]) -> NuClassification:
        return NuClassification(values["nu"], self._multiclass)
