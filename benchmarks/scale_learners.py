"""The learners of benchmarks/scale.py, and how they are fitted and timed."""

from __future__ import annotations

import resource
import time

from sklearn.base import clone

import mercer

TARGETS = {"y", "amount"}


def models(rank=100):
    """(model, target) of each learner by its name; rank : landmarks of the SVC."""
    return {
        "bayes": (mercer.NaiveBayes(), "y"),
        "linear": (mercer.LinearRegression(), "amount"),
        "logistic": (mercer.LogisticRegression(), "y"),
        "boosting": (mercer.HistGradientBoostingClassifier(max_iter=20, random_state=0), "y"),
        "svc": (mercer.SVC(approximation="nystroem", rank=rank), "y"),
    }


def fit(model, data, target, client=None):
    """A fit in chunks; of generated tables the other target is left out."""
    model = clone(model)
    if target in TARGETS and "kinds" in model.get_params():
        model.set_params(kinds=(model.kinds or {}) | dict.fromkeys(TARGETS - {target}, "skip"))
    return mercer.scale.fit(model, data, target, client=client)


def seconds(work):
    """(processor seconds of this process, what the work makes)."""
    start = time.process_time()
    result = work()
    return time.process_time() - start, result


def peak():
    """The largest memory that this process has had, in bytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
