"""Results of all learners on small tables, computed once."""

import numpy as np
import pytest

from mercer.evaluation.comparison import compare_learners, prepare
from mercer.evaluation.options import ComparisonOptions
from mercer.table import open_source

AGES = np.random.default_rng(0).normal(40, 10, 160).round(1)


def result_of(target, evil="", **options):
    rng, n = np.random.default_rng(1), len(AGES)
    age, job = AGES, rng.choice([f"clerk{evil}", "sales", "chef"], n)
    signal = (age - 40) / 10 + (job == "chef") * 1.5 + rng.normal(0, 0.7, n)
    y = {
        "two": np.where(signal > 0.2, "yes", f"no{evil}"),
        "several": np.where(signal > 1, "high", np.where(signal > 0, "middle", "low")),
        "number": signal * 100,
    }[target]
    data = {f"age{evil}": age.tolist(), "job": job.tolist(), "y": y.tolist()}
    return compared(data, **{"repeats": 1, "folds": 2, **options})


def compared(data, **options):
    settings = ComparisonOptions(**options)
    return compare_learners(prepare(open_source(data), "y", settings), lambda what, share: None).to_dict()


@pytest.fixture(scope="session")
def results():
    return {target: result_of(target) for target in ("two", "several", "number")}


@pytest.fixture(scope="session")
def wide():
    """100 columns of numbers, dates and categories with many levels; three classes."""
    rng = np.random.default_rng(0)
    n = 240
    data = {f"amount of something {j}": rng.normal(size=n).round(3).tolist() for j in range(60)}
    data |= {f"place {j}": [f"town {k}" for k in rng.integers(0, 40, n)] for j in range(35)}
    data |= {f"day {j}": [str(d) for d in np.datetime64("2024-01-01") + rng.integers(0, 900, n)] for j in range(5)}
    days = [np.datetime64(d).astype(int) for d in data["day 0"]]
    signal = np.array(data["amount of something 0"]) + np.argsort(np.argsort(days)) / n
    y = np.digitize(signal, [0.0, 1.0])
    return compared({**data, "y": [f"group {v}" for v in y]}, repeats=1, folds=2, learners=["tree", "linear"])
