"""Decision functions that have a column for each pair of classes, of which three classes have three as well."""

from __future__ import annotations

from typing import Any

_INSIDE = "best_estimator_", "estimator_"  # of a search, and of what answers as the model inside does


def decides_pairs(model: Any) -> bool:
    """Whether the decision function of a model, or of the one that a pipeline or search ends in, is of pairs.

    So is that of a support vector machine with decision_function_shape="ovo".

    Parameters
    ----------
    model : estimator
        Fitted, of any library.

    Returns
    -------
    bool
        False where there are two classes, since they have one decision.
    """
    if getattr(model, "decision_function_shape", None) == "ovo":
        return len(getattr(model, "classes_", ())) > 2
    steps = getattr(model, "steps", None)
    inner = steps[-1][1] if steps else next((getattr(model, n) for n in _INSIDE if hasattr(model, n)), None)
    return inner is not None and decides_pairs(inner)
