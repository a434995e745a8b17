"""Which distance a name, a function or an object means: the same for every estimator that takes `metric`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sklearn.metrics import DistanceMetric

from mercer.distances.base import Distance
from mercer.distances.pairwise.function import FunctionDistance, is_metric
from mercer.distances.pairwise.named_distance import NAMES, NamedDistance
from mercer.distances.pairwise.precomputed import PrecomputedDistance
from mercer.distances.sum_distance import (
    DISTANCES,
    SumDistance,
    distance_from_parameters,
    distance_parameters_state,
)
from mercer.errors import BadColumn, MercerError, did_you_mean
from mercer.parameters import Choice, Either, Part, Unstored
from mercer.state import State

_OTHER_NAMES = {
    "sqeuclidean": "SquaredEuclidean", "cityblock": "Manhattan", "l1": "Manhattan", "l2": "Euclidean",
    "nan_euclidean": "Euclidean", "p": "Minkowski", "infinity": "Chebyshev",
}  # fmt: skip
_SCIPY_NAMES = {name: name for name in NAMES} | {"sokalmichener": "rogerstanimoto"}  # one formula, two names
_SAME = ("Euclidean", "Manhattan", "Chebyshev", "Haversine")  # as objects of scikit-learn


def as_distance(metric: Any, *, p: float = 2.0, params: Mapping[str, Any] | None = None) -> Distance:
    """The distance that a name, a function or an object means, not fitted.

    Parameters
    ----------
    metric : str, Distance, callable or object with `pairwise`
        The name of a distance ("euclidean", "manhattan", "heom", "canberra", ...), a Distance, a function of two rows,
        or a DistanceMetric of scikit-learn.
    p : float, default 2.0
        Power of "minkowski", when `params` has none.
    params : dict or None, default None
        Parameters of the named distance, or further arguments of the function.

    Returns
    -------
    distance : Distance
        Not fitted; `metric` itself when it is a Distance.

    Raises
    ------
    BadColumn
        When there is no distance of that name, or `metric` is none of the above.

    Examples
    --------
    >>> from mercer.distances import as_distance
    >>> as_distance("minkowski", p=1), as_distance("euclidean", params={"scale": "std"})
    (Minkowski(p=1), Euclidean(scale='std'))
    """
    if params is not None and not isinstance(params, Mapping):
        raise MercerError(f"metric_params={params!r} must be a dict of parameter -> value.")
    if isinstance(metric, str):
        return _named(metric, p, dict(params or {}))
    if callable(metric) and not isinstance(metric, type):
        return FunctionDistance(metric, params)
    if params:
        raise MercerError(f"metric_params: {metric!r} is a distance with parameters of its own. Set them there.")
    if isinstance(metric, Distance):
        return metric
    if isinstance(metric, type) or not hasattr(metric, "pairwise"):
        raise BadColumn(f"There is no distance {metric!r}. Use a name, a Distance such as Gower(), or a function.")
    return _of_scikit_learn(metric) or FunctionDistance(metric)


def _of_scikit_learn(metric: Any) -> SumDistance | None:
    """Our own distance of the same formula as a DistanceMetric, where there is one."""
    name = type(metric).__name__.rstrip("0123456789").removesuffix("Distance")
    return DISTANCES[name]() if name in _SAME else None


def _named(metric: str, p: float, params: dict[str, Any]) -> Distance:
    names = _class_names()
    if metric.lower() not in names and metric.lower() in _SCIPY_NAMES:
        return NamedDistance(_SCIPY_NAMES[metric.lower()], params or None)
    if metric.lower() not in names:
        raise BadColumn(f"There is no distance {metric!r}. {did_you_mean(metric, names)}")
    kind = DISTANCES[names[metric.lower()]]
    known = list(kind().get_params())
    for name in params:
        if name not in known:
            hint = did_you_mean(str(name), known) if known else "It has none."
            raise MercerError(f"metric_params: {metric!r} has no parameter {name!r}. {hint}")
    return kind(**({"p": p} if "p" in known else {}) | params)


def _class_names() -> dict[str, str]:
    """The class of each name, in lower case."""
    return {name.lower(): name for name in DISTANCES} | _OTHER_NAMES


class _MetricName(Choice):
    """The name of a distance, in any case of letters; those registered later included."""

    def values(self) -> tuple[Any, ...]:
        return (*self.options, *_class_names(), *_SCIPY_NAMES)

    def accepts(self, value: Any) -> bool:
        return isinstance(value, str) and value.lower() in self.values()


class _ScikitLearnMetric(Part):
    """A DistanceMetric that has a distance of the same formula here, and is read back as that."""

    def accepts(self, value: Any) -> bool:
        return isinstance(value, self.base) and _of_scikit_learn(value) is not None


def _metric_state(metric: DistanceMetric) -> State:
    found = _of_scikit_learn(metric)
    assert found is not None
    return distance_parameters_state(found)


METRIC = Either(
    _MetricName(("auto", "precomputed")),
    Part("a Distance", SumDistance, distance_parameters_state, distance_from_parameters),
    Part("precomputed distances", PrecomputedDistance, lambda _: {}, lambda _: PrecomputedDistance()),
    _ScikitLearnMetric("a DistanceMetric", DistanceMetric, _metric_state, distance_from_parameters),
    Unstored("a function", lambda value: isinstance(value, Distance) or is_metric(value), instead="auto"),
)
