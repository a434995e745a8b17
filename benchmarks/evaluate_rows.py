"""How long are a million predictions scored, every metric with its interval and curves with bands?

Under 10 s. The rival gives each metric without an interval, one call of scikit-learn's functions after the other.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from harness import Row, best
from sklearn import metrics as sk

import mercer

N_ROWS, BAR = 1_000_000, "under 10 s"


def rows(data: Path) -> list[Row]:
    """The predictions are generated: `data` is not used."""
    rng = np.random.default_rng(0)
    score = rng.normal(size=N_ROWS)
    y = (rng.random(N_ROWS) < 1 / (1 + np.exp(3 - 1.5 * score))).astype(int)
    p = 1 / (1 + np.exp(3 - 1.4 * score))
    number = 3 * score + rng.normal(size=N_ROWS)
    ours = (
        best(lambda: mercer.score_predictions(y, probabilities=p), 2),
        best(lambda: mercer.score_predictions(number, 3 * score), 2),
    )
    theirs = best(lambda: _classes(y, p), 2), best(lambda: _numbers(number, 3 * score), 2)
    names = "two classes", "numbers"
    rival = "scikit-learn's metrics, no intervals"
    return [Row(f"a million rows, {name}", *pair, rival, BAR) for name, *pair in zip(names, ours, theirs, strict=True)]


def _classes(y: Any, p: Any) -> list[float]:
    called = (p >= 0.5).astype(int)
    of_probabilities = (sk.roc_auc_score, sk.average_precision_score, sk.log_loss, sk.brier_score_loss)
    of_calls = (sk.accuracy_score, sk.balanced_accuracy_score, sk.recall_score, sk.f1_score)
    return [f(y, p) for f in of_probabilities] + [f(y, called) for f in of_calls]


def _numbers(y: Any, predicted: Any) -> list[float]:
    return [f(y, predicted) for f in (sk.r2_score, sk.mean_squared_error, sk.mean_absolute_error)]
