"""Weights of the rows in the fit of an estimator of any library."""

from __future__ import annotations

from typing import Any

from sklearn import get_config
from sklearn.model_selection._search import BaseSearchCV
from sklearn.utils.validation import has_fit_parameter

from mercer.arrays import Floats


def weight_name(estimator: Any) -> str | None:
    """What `fit` calls the weights of the rows; None where it takes none.

    A pipeline hands them to its last step and a search to its estimator, under the names that scikit-learn gives them;
    with scikit-learn's metadata routing, estimators say themselves where weights go. Steps that draw other rows have
    no weights for these.

    Parameters
    ----------
    estimator : estimator
        Of any library.

    Returns
    -------
    str or None
        Such as "sample_weight" or "svc__sample_weight".
    """
    routed = bool(get_config()["enable_metadata_routing"])
    steps = [] if routed else getattr(estimator, "steps", [])
    if steps:
        resampled = any(hasattr(step, "fit_resample") for _, step in steps)
        inner = None if resampled else weight_name(steps[-1][1])
        return None if inner is None else f"{steps[-1][0]}__{inner}"
    if isinstance(estimator, BaseSearchCV) and not routed:
        return weight_name(estimator.estimator)
    taken = hasattr(estimator, "fit") and has_fit_parameter(estimator, "sample_weight")
    return "sample_weight" if taken else None


def weight_argument(estimator: Any, weight: Floats | None) -> dict[str, Floats]:
    """The weights as `fit` takes them; nothing where there are none, or it takes none."""
    name = None if weight is None else weight_name(estimator)
    return {} if weight is None or name is None else {name: weight}
