"""Naive Bayes for a numeric target."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from mercer._core import softmax_rows
from mercer.errors import BadFile, MercerError
from mercer.estimators.bayes.naive_bayes import Choice, NaiveBayes
from mercer.estimators.common.base import TableRegressor
from mercer.likelihoods.conditional import Conditional
from mercer.likelihoods.density import weighted_quantiles
from mercer.state import Reader, State
from mercer.table import Table

METHODS = ("kernel", "intervals")
CUTS = ("frequency", "width")


class NaiveBayesRegressor(TableRegressor):
    """f(x) = sum_k z_k P(z_k | x), with P(z | x) proportional to p(z) * prod_j p(x_j | z).

    `method="intervals"` cuts the target into q intervals, takes them as classes and their midpoints as z_k.
    `method="kernel"` lets z run over a fine grid and estimates p(z) and p(x_j | z) by kernel densities
    (Frank, Trigg, Holmes & Witten 1999), which leaves no steps in the prediction.

    Parameters
    ----------
    method : "kernel" or "intervals"
    n_intervals : q, from 2 up; for the kernel method, points of the grid (64 when None; 10 intervals when None)
    cut : intervals of equal "frequency" or equal "width"
    likelihoods, smoothing : of the columns given the interval, as for NaiveBayes
    bandwidth : factor on Silverman's bandwidths of the kernel method, above 0
    kinds, n_jobs : as for NaiveBayes

    Examples
    --------
    >>> import mercer, numpy as np
    >>> x = np.linspace(0, 1, 200).reshape(-1, 1)
    >>> model = mercer.NaiveBayesRegressor().fit(x, 3 * x.ravel())
    >>> bool(abs(model.predict([[0.5]])[0] - 1.5) < 0.05)
    True
    """

    def __init__(
        self,
        method: str = "kernel",
        *,
        n_intervals: int | None = None,
        cut: str = "frequency",
        likelihoods: Choice | Mapping[str, Choice] | None = None,
        smoothing: object = "laplace",
        bandwidth: float = 1.0,
        kinds: Mapping[str, Any] | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.method = method
        self.n_intervals = n_intervals
        self.cut = cut
        self.likelihoods = likelihoods
        self.smoothing = smoothing
        self.bandwidth = bandwidth
        self.kinds = kinds
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn from a table X and numbers y."""
        self._check_options()
        table = self._fit_table(X)
        target = self._fit_target(y, len(table))
        weight = self._weights(sample_weight, len(table))
        if self.method == "intervals":
            self._fit_intervals(table, target, weight)
        else:
            self._fit_kernel(table, target, weight)
        return self

    def _check_options(self) -> None:
        if self.method not in METHODS:
            raise MercerError(f"method={self.method!r}: one of {', '.join(METHODS)}.")
        if self.cut not in CUTS:
            raise MercerError(f"cut={self.cut!r}: one of {', '.join(CUTS)}.")
        if self.n_intervals is not None and self.n_intervals < 2:
            raise MercerError(f"n_intervals={self.n_intervals}: at least 2.")
        if not 0 < self.bandwidth < np.inf:
            raise MercerError(f"bandwidth={self.bandwidth}: a number above 0.")

    def _fit_intervals(self, table: Table, target: NDArray[np.float64], weight: NDArray[np.float64] | None) -> None:
        mass = np.ones(len(target)) if weight is None else weight
        edges = interval_edges(target, mass, self.n_intervals or 10, self.cut)
        place = np.clip(np.searchsorted(edges, target, side="left") - 1, 0, max(len(edges) - 2, 0))
        self.classifier_ = NaiveBayes(self.likelihoods, smoothing=self.smoothing, n_jobs=self.n_jobs)
        self.classifier_.fit(table, place, weight)
        middles = (edges[:-1] + edges[1:]) / 2 if len(edges) > 1 else edges
        self.points_ = middles[self.classifier_.classes_]

    def _fit_kernel(self, table: Table, target: NDArray[np.float64], weight: NDArray[np.float64] | None) -> None:
        mass = np.ones(len(target)) if weight is None else weight
        if not mass.all():  # rows without weight must not stretch the grids
            table, target, mass = table.take(mass > 0), target[mass > 0], mass[mass > 0]
        self.points_, self.part_ = Conditional.fit(
            table, target, mass, self.n_intervals or 64, self.smoothing, self.bandwidth
        )

    def predict(self, X: Any) -> NDArray[np.float64]:
        """The posterior mean of the target, (n_rows,)."""
        mean: NDArray[np.float64] = self.predict_distribution(X) @ self.points_
        return mean

    def predict_distribution(self, X: Any) -> NDArray[np.float64]:
        """P(z_k | x), (n_rows, n_points), over the values `points_`."""
        table = self._predict_table(X)
        if hasattr(self, "classifier_"):
            return self.classifier_.predict_proba(table)
        scores = self.part_.log_posterior(table)
        softmax_rows(scores, self._jobs)
        return scores

    def to_state(self) -> State:
        check_is_fitted(self)
        state: State = {"input": self._input_state(), "method": self.method, "points": self.points_}
        if hasattr(self, "classifier_"):
            return state | {"classifier": self.classifier_.to_state()}
        return state | {"part": self.part_.to_state()}

    @classmethod
    def from_state(cls, state: Reader) -> Self:
        model = cls(state.text("method", METHODS))
        model._restore_input(state.child("input"))
        model.points_ = state.array("points", "float64", (None,))
        if model.method == "intervals":
            model.classifier_ = NaiveBayes.from_state(state.child("classifier"))
            if len(model.classifier_.classes_) != len(model.points_) or model.classifier_.schema_ != model.schema_:
                raise BadFile(f"{state.where}.points do not fit the classifier.")
        else:
            model.part_ = Conditional.from_state(state.child("part"), model.schema_, len(model.points_))
        state.finish()
        return model


def interval_edges(target: NDArray[np.float64], mass: NDArray[np.float64], q: int, cut: str) -> NDArray[np.float64]:
    """Edges of at most q intervals of the target, first and last included; a constant target is one point."""
    order = np.argsort(target, kind="stable")
    values, weights = target[order], mass[order]
    values, weights = values[weights > 0], weights[weights > 0]
    low, high = values[0], values[-1]
    if low == high:
        return np.array([low])
    if cut == "width":
        return np.linspace(low, high, q + 1)
    shares: Sequence[float] = list(np.arange(1, q) / q)
    return np.unique([low, *weighted_quantiles(values, weights, shares), high])
