"""The main jobs from Python (evaluate, compare, explain, curves, search, train) with arguments nobody should pass."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import pandas as pd

import mercer
from mercer.errors import MercerError
from tests.attack.outcome import Outcome, Wrong, refused_by_scikit_learn
from tests.attack.parameters import VALUES
from tests.attack.tables import CELLS, LABELS, PROBES, TARGET

FRAME = pd.DataFrame(CELLS)
MORE: tuple[Any, ...] = ("hi", "job", "number", ["number"], ["number", "no such"], [0.5, 1.0], -5, 3, "auc", "accuracy",
                         LABELS, TARGET, FRAME, PROBES, np.ones(len(FRAME)), np.zeros(len(FRAME)), 0.95, "10 s",
                         {"fn": 5, "fp": 1}, "fn=5,fp=1", "f1", "cost")  # fmt: skip
TRAIN_SHARE = 0.1  # of the attempts: it takes a second


@dataclass(frozen=True)
class Job:
    """A function, sound arguments, and further ones that may be hostile."""

    run: Callable[..., Any]
    given: Mapping[str, Any]
    further: tuple[str, ...] = ()


@cache
def jobs() -> tuple[Job, ...]:
    """One for each function and task."""
    tree = mercer.DecisionTreeClassifier(max_depth=3).fit(FRAME, LABELS)
    bayes = mercer.NaiveBayes().fit(FRAME, LABELS)
    line = mercer.LinearRegression().fit(FRAME, TARGET)
    scores = ("cv", "groups", "positive", "sample_weight", "level", "random_state")
    curve = ("cv", "groups", "metric", "positive", "level")
    return (
        Job(mercer.evaluate, {"model": bayes, "X": FRAME, "y": LABELS}, (*scores, "amounts")),
        Job(mercer.evaluate, {"model": line, "X": FRAME, "y": TARGET}, scores),
        Job(mercer.compare, {"a": bayes, "b": tree, "X": FRAME, "y": LABELS}, (*scores, "cost")),
        Job(
            mercer.explain,
            {"model": tree, "X": FRAME, "rows": [0, 3]},
            ("background", "positive", "samples", "random_state"),
        ),
        Job(mercer.explain, {"model": line, "X": FRAME, "rows": 2}, ("background", "samples")),
        Job(
            mercer.counterfactual,
            {"model": bayes, "X": FRAME, "row": 1},
            ("to", "above", "below", "threshold", "positive", "fixed", "most", "background"),
        ),
        Job(
            mercer.score_predictions,
            {"y": LABELS, "predicted": LABELS[::-1]},
            ("probabilities", "classes", "task", "positive", "sample_weight", "level", "name", "groups"),
        ),
        Job(
            mercer.validation_curve,
            {"estimator": tree, "X": FRAME, "y": LABELS, "parameter": "max_depth", "values": [1, 2]},
            (*curve, "sample_weight"),
        ),
        Job(
            mercer.learning_curve,
            {"estimator": bayes, "X": FRAME, "y": LABELS, "sizes": [0.5, 1.0]},
            (*curve, "random_state"),
        ),
        Job(mercer.train, {"data": FRAME.assign(y=LABELS), "target": "y", "learners": ["naive_bayes"], "quick": True},
            ("cost", "threshold", "positive", "prefer", "imbalance", "calibrate", "time", "time_column", "metric",
             "kinds", "task", "drop", "weight", "group", "missing", "folds", "test_size", "seed")),
    )  # fmt: skip


def attempt(seed: int) -> Outcome:
    """Run a job with one or two of its arguments replaced or added."""
    rng = np.random.default_rng(seed)
    all_jobs = jobs()
    job = all_jobs[-1] if rng.random() < TRAIN_SHARE else all_jobs[seed % (len(all_jobs) - 1)]
    names = [*job.given, *job.further, *job.further]
    pool = (*VALUES, *MORE, *MORE)
    hostile = {name: pool[rng.integers(len(pool))] for name in rng.choice(names, size=int(rng.integers(1, 3)))}
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            found = job.run(**{**job.given, **hostile})
            _expect_sound(found)
        except (MercerError, ValueError, TypeError, AttributeError) as error:
            if isinstance(error, MercerError) or refused_by_scikit_learn(error):
                return Outcome.REFUSED
            raise
    return Outcome.ANSWERED


def _expect_sound(found: Any) -> None:
    """It can be shown, and its scores are no infinities."""
    text = str(found)
    if not text:
        raise Wrong("nothing to show")
    scores = getattr(found, "scores", None)
    for name, score in scores.items() if isinstance(scores, Mapping) else ():
        value = getattr(score, "value", score)
        if isinstance(value, float) and np.isinf(value):
            raise Wrong(f"{name} is infinite")
