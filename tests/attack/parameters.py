"""Every parameter of every estimator with values that nobody should pass."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from sklearn.base import is_classifier
from sklearn.utils.validation import has_fit_parameter

import mercer
from mercer.errors import MercerError
from mercer.store.registry import STORABLE
from tests.attack.outcome import Outcome, check_answers, refused_by_scikit_learn
from tests.attack.tables import LABELS, PROBES, ROWS, TARGET

VALUES: tuple[Any, ...] = (
    None, True, False, 0, 1, 2, -1, 10**9, 2**63, -(2**70), 0.0, -0.0, 0.5, 1.0, 1e-320, 1e-12, 1e12, 1e308, -1e308,
    np.nan, np.inf, -np.inf, "", "cv", "auto", "scale", "balanced", "x" * 2000, b"bytes", [], {}, (), [1, 2], {"a": 1},
    {"hi": 0.0}, {"hi": -1.0}, {"hi": np.inf}, ["a", "a"], np.array([]), np.ones(3), np.zeros((2, 2)), np.int8(3),
    np.float32(0.1), np.bool_(True), 1j, object(), mercer.read_table({"x": [1.0, 2.0]}),
)  # fmt: skip


def attempt(seed: int) -> Outcome:
    """Fit an estimator with one or two hostile parameters to the small table."""
    rng = np.random.default_rng(seed)
    classes = list(STORABLE.values())
    cls: Any = classes[seed % len(classes)]
    names = list(cls().get_params(deep=False))
    chosen = (
        {n: VALUES[rng.integers(len(VALUES))] for n in rng.choice(names, size=min(len(names), int(rng.integers(1, 3))))}
        if names
        else {}
    )
    weights = (
        None,
        None,
        None,
        np.full(ROWS.n_rows, 1e-300),
        np.full(ROWS.n_rows, 1e300),
        -np.ones(ROWS.n_rows),
        np.ones(3),
    )
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            model = cls(**chosen)
            y = LABELS if is_classifier(model) else TARGET
            weight = weights[rng.integers(len(weights))]
            weighs = weight is not None and has_fit_parameter(model, "sample_weight")
            model.fit(ROWS, y, **{"sample_weight": weight} if weighs else {})
            check_answers(model, PROBES)
        except (MercerError, ValueError, TypeError) as error:
            if isinstance(error, MercerError) or refused_by_scikit_learn(error):
                return Outcome.REFUSED
            raise
    return Outcome.ANSWERED
