"""Linear support vector regression for many rows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import NDArray

from mercer.arrays import Floats
from mercer.docstrings import shares_docs
from mercer.errors import BadParameter
from mercer.estimators.common.base import TableRegressor
from mercer.estimators.common.weights.sample_weight import row_counts
from mercer.estimators.svm.formulations import TubeLoss, squared_loss_cost
from mercer.estimators.svm.linear.machine import LINEAR_PARAMETERS, Dual, LinearMachine
from mercer.estimators.svm.linear.problems import LinearLimits, LinearProblem, box_problem
from mercer.estimators.svm.linear.search import LinearSearch
from mercer.parameters import Choice, Number, Parameters, check_parameters
from mercer.select.cv_scores import NumberDecisions
from mercer.select.grid import Grid, standard_deviation
from mercer.solvers.svm.coordinate import insensitive
from mercer.state import Reader
from mercer.table import Table
from mercer.table.missingness import MissingIndicator


@shares_docs()
class LinearSVR(LinearMachine, TableRegressor):
    """min 1/2 (|w|^2 + b^2) + C sum_i weight_i max(0, |y_i - w.x_i - b| - epsilon)^p; p = 1 or 2.

    Parameters
    ----------
    epsilon : float, default 0.0
        Half the width of the tube: errors up to it cost nothing. At least 0.
    {linear_tol}
    C : float or "cv", default 1.0
        Cost of an error beyond epsilon, above 0 and finite; "cv" searches it by cross-validation.
    loss : {"epsilon_insensitive", "squared_epsilon_insensitive"}, default "epsilon_insensitive"
        The power p of the errors, 1 or 2.
    {fit_intercept}
    {intercept_scaling}
    {dual}
    {verbose_0}
    {linear_random_state}
    {linear_max_iter}
    {time_limit}
    {warm_start}
    {kinds}
    {linear_grid}
    {missing_indicator}

    Attributes
    ----------
    coef_ : ndarray of shape (n_encoded_columns,)
        Weights of the encoded columns, named in `encoder_.names`.
    {linear_attributes}
    {schema_}
    {n_features_in_}
    {feature_names_in_}

    Examples
    --------
    >>> import mercer
    >>> model = mercer.LinearSVR(C=100, tol=1e-6, max_iter=10_000).fit([[0.0], [1.0], [2.0]], [1.0, 3.0, 5.0])
    >>> model.predict([[4.0]]).round(2)
    array([9.])
    """

    parameters: ClassVar[Parameters] = {**LINEAR_PARAMETERS, "epsilon": Number(0), "loss": Choice(TubeLoss)}

    def __init__(
        self,
        *,
        epsilon: float = 0.0,
        tol: float = 1e-4,
        C: float | Literal["cv"] = 1.0,
        loss: TubeLoss = "epsilon_insensitive",
        fit_intercept: bool = True,
        intercept_scaling: float = 1.0,
        dual: Dual = "auto",
        verbose: int | bool = 0,
        random_state: int | np.random.RandomState | None = None,
        max_iter: int = 1000,
        time_limit: float | None = None,
        warm_start: bool = False,
        kinds: Mapping[str, Any] | None = None,
        grid: Grid | None = None,
        missing_indicator: MissingIndicator = "auto",
    ) -> None:
        self.epsilon = epsilon
        self.tol = tol
        self.C = C
        self.loss = loss
        self.fit_intercept = fit_intercept
        self.intercept_scaling = intercept_scaling
        self.dual = dual
        self.verbose = verbose
        self.random_state = random_state
        self.max_iter = max_iter
        self.time_limit = time_limit
        self.warm_start = warm_start
        self.kinds = kinds
        self.grid = grid
        self.missing_indicator = missing_indicator

    @shares_docs()
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Find the plane.

        Parameters
        ----------
        {X}
        {y_number}
        {sample_weight_cost}

        Returns
        -------
        {self}
        """
        table, problem = self._read(X, y, sample_weight)
        self._train(table, problem)
        return self

    @shares_docs()
    def tunable_problem(self, X: Any, y: Any) -> LinearSearch:
        """The machine and its training rows as `mercer.tune` sees them.

        Parameters
        ----------
        {X}
        {y_number}

        Returns
        -------
        {problem}
        """
        return self._read(X, y, None)[1]

    def _check(self) -> None:
        check_parameters(self)
        if self.dual is False and not self._squared:
            raise BadParameter(
                f"Unsupported set of arguments: loss={self.loss!r}, dual={self.dual!r}. Leave dual out, or give "
                "loss='squared_epsilon_insensitive'."
            )

    def _read(self, X: Any, y: Any, sample_weight: Any) -> tuple[Table, LinearSearch]:
        self._check()
        table = self._fit_table(X)
        target = self._fit_target(y, len(table))
        own = self._weights(sample_weight, len(table))
        weight = np.ones(len(table)) if own is None else own
        table = self._flag_missing(table, [target], row_counts(own))
        return table, self._search_problem(table, target, weight, own, NumberDecisions())

    def _formulate(self, target: NDArray[Any], cost: Floats) -> list[LinearProblem]:
        cost = squared_loss_cost(cost) if self._squared else cost
        return [box_problem(insensitive(target, cost, self.epsilon, squared=self._squared), LinearLimits.of(self))]

    def _cost_unit(self, target: NDArray[Any], weight: Floats) -> float:
        return 1.0 if self._squared else standard_deviation(target, weight)

    @property
    def _squared(self) -> bool:
        return self.loss == "squared_epsilon_insensitive"

    def _keep_plane(self, coef: Floats, intercept: Floats) -> None:
        super()._keep_plane(coef[0], intercept)

    @shares_docs()
    def predict(self, X: Any) -> Floats:
        """The value of the plane at each row.

        Parameters
        ----------
        {X}

        Returns
        -------
        {numbers}
        """
        return self._decisions(X)[:, 0]

    def _restore_fitted(self, state: Reader) -> None:
        self._restore_plane(state, 1)
