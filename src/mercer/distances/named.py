"""From what users write as `metric` to a distance."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mercer.distances.base import DISTANCES, Distance, SumDistance
from mercer.distances.function import FunctionDistance
from mercer.errors import BadColumn, MercerError, did_you_mean

_OTHER_NAMES = {
    "sqeuclidean": "SquaredEuclidean", "cityblock": "Manhattan", "l1": "Manhattan", "l2": "Euclidean",
    "nan_euclidean": "Euclidean",
}  # fmt: skip
_SAME = ("Euclidean", "Manhattan", "Chebyshev", "Haversine")  # as objects of scikit-learn


def distance_of(metric: Any, *, p: float = 2.0, params: Mapping[str, Any] | None = None) -> Distance:
    """The distance that a metric's name stands for; a function, an object with `pairwise`, or a distance itself.

    p : power of "minkowski", when `params` has none
    params : parameters of the named distance, or further arguments of the function

    >>> distance_of("minkowski", p=1), distance_of("euclidean", params={"scale": "std"})
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
    name = type(metric).__name__.rstrip("0123456789").removesuffix("Distance")
    return DISTANCES[name]() if name in _SAME else FunctionDistance(metric)


def _named(metric: str, p: float, params: dict[str, Any]) -> SumDistance:
    names = {name.lower(): name for name in DISTANCES} | _OTHER_NAMES
    if metric.lower() not in names:
        raise BadColumn(f"There is no distance {metric!r}. {did_you_mean(metric, names)}")
    kind = DISTANCES[names[metric.lower()]]
    known = list(kind().get_params())
    for name in params:
        if name not in known:
            hint = did_you_mean(str(name), known) if known else "It has none."
            raise MercerError(f"metric_params: {metric!r} has no parameter {name!r}. {hint}")
    return kind(**({"p": p} if "p" in known else {}) | params)
