"""Settings of learners that the ensemble chooses from: a fixed list, best bets first, then settings drawn at random.

None of them depends on a score, so that weights chosen on some folds are tested honestly on the others.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import count
from typing import Any

import numpy as np

from mercer.estimators.registry import Learner
from mercer.table import Task

MOST_ROUNDS = 6400  # of boosted trees


@dataclass(frozen=True, slots=True)
class Further:
    """Other settings of a learner.

    Attributes
    ----------
    key : str
        Of the learner.
    what : str
        Behind its title.
    rounds : int or None
        Behind that, of boosted trees; None where `what` says enough.
    settings : dict
        Parameters that differ from those of the learner.
    effort : float
        How many times as long a fit takes.
    task : Task or None
        The only task that they are for; None for both.
    """

    key: str
    what: str
    settings: dict[str, Any]
    effort: float
    task: Task | None = None
    rounds: int | None = None

    @property
    def name(self) -> str:
        """What is shown behind the title of the learner."""
        return self.what if self.rounds is None else f"{self.what}, {self.rounds} rounds"

    def variant(self, learner: Learner) -> Learner:
        """The learner with these settings, under a title of its own."""
        changed = learner.with_settings(self.settings)
        key, title = f"{learner.key}, {self.name}", f"{learner.title}, {self.name}"
        return replace(changed, key=key, title=title, variant_of=learner.key)


# Chosen on telco_churn, german_credit, titanic, ames_housing, abalone and wine_quality (red) in three folds, out of ten
# settings of forests and boosted trees. The first: AUC .849 for .845, .787 for .772 on telco_churn, german_credit; the
# second: R^2 .9155 for .9115, .551 for .547 on ames_housing, abalone; the third: AUC .845 for .842 on telco_churn.
FURTHER = (
    Further("boosting", "4 leaves", {"max_leaf_nodes": 4, "learning_rate": 0.1}, 0.6),
    Further(
        "boosting",
        "slow",
        {"max_leaf_nodes": 8, "learning_rate": 0.02, "max_iter": 800, "l2_regularization": 10.0, "max_features": 0.3},
        2.0,
    ),
    Further("forest", "leaves of 5 rows", {"min_samples_leaf": 5}, 0.8),
)


def _boosting(leaves: int, rate: float, rounds: int, **others: Any) -> Further:
    """Boosted trees; a fit takes about as long as its rounds times the square root of the leaves."""
    what = f"{leaves} leaves, rate {rate:.2g}"
    settings = {"max_leaf_nodes": leaves, "learning_rate": rate, "max_iter": rounds, **others}
    return Further("boosting", what, settings, rounds / 200 * np.sqrt(leaves / 15), rounds=rounds)


def _trees(key: str, what: str, **settings: Any) -> Further:
    return Further(key, what, {"n_estimators": 200, **settings}, 2.2)


# Rounds, leaves and sampling chosen on census_income_kdd, wine_quality, generated Friedman tables and small tables of
# KEEL: noisy tables are best after 100 rounds of rate 0.05, tables with little noise go on to gain after 400. The
# second has the best mean AUC of eight settings on small tables (six of KEEL, german_credit, titanic, telco_churn,
# breast cancer): .871 for .860.
FIRST = (
    _boosting(31, 0.05, 400),
    _boosting(8, 0.05, 120, l2_regularization=5.0, max_features=0.3, min_samples_leaf=5, subsample=0.6),
    _boosting(31, 0.05, 200, l2_regularization=5.0, max_features=0.3, subsample=0.7),
    FURTHER[1],
    _trees("extra_trees", "leaves of 1 row, half of the columns", min_samples_leaf=1, max_features=0.5),
    FURTHER[0],
    Further("linear", "C 0.1", {"C": 0.1}, 1.0, Task.CLASSIFICATION),
    _trees("forest", "half of the columns", max_features=0.5),
    _boosting(63, 0.05, 300, l2_regularization=3.0, min_samples_leaf=5, subsample=0.7),
    _trees("forest", "leaves of 1 row", min_samples_leaf=1),
    Further("linear", "C 0.01", {"C": 0.01}, 1.0, Task.CLASSIFICATION),
    FURTHER[2],
)


def portfolio(task: Task, seed: int) -> Iterator[Further]:
    """Settings for a task without end: the list `FIRST`, then settings drawn at random.

    Parameters
    ----------
    task : Task
        What is predicted.
    seed : int
        Of what is drawn.

    Yields
    ------
    Further
        Each under a name of its own.
    """
    yield from (one for one in FIRST if one.task in (None, task))
    rng = np.random.default_rng(seed)
    for number in count(1):
        kind = rng.choice(["boosting", "forest", "extra_trees"], p=[0.6, 0.2, 0.2])
        found = _drawn_boosting(rng) if kind == "boosting" else _drawn_trees(str(kind), rng)
        settings = {**found.settings, "random_state": int(rng.integers(2**31))}
        yield replace(found, what=f"{found.what}, draw {number}", settings=settings)


def doubled(further: Further) -> Further | None:
    """The same settings of boosted trees with twice the rounds; None of other learners, and beyond `MOST_ROUNDS`."""
    rounds = 2 * further.settings.get("max_iter", 200)
    if further.key != "boosting" or rounds > MOST_ROUNDS:
        return None
    settings = {**further.settings, "max_iter": rounds}
    return replace(further, rounds=rounds, settings=settings, effort=2 * further.effort)


def _drawn_boosting(rng: np.random.Generator) -> Further:
    def logarithmic(low: float, high: float) -> float:
        return float(np.exp(rng.uniform(np.log(low), np.log(high))))

    leaves, rate = int(logarithmic(3, 96)), round(logarithmic(0.02, 0.12), 3)
    rounds = int(np.clip(rng.uniform(4, 20) / rate, 50, 800))
    return _boosting(
        leaves,
        rate,
        rounds,
        max_features=float(rng.choice([0.2, 0.3, 0.5, 0.7, 1.0])),
        subsample=float(rng.choice([0.6, 0.8, 1.0])),
        l2_regularization=logarithmic(0.1, 30),
        min_samples_leaf=int(rng.choice([2, 5, 10, 20, 40])),
    )


def _drawn_trees(key: str, rng: np.random.Generator) -> Further:
    leaf, share = int(rng.choice([1, 2, 3, 5, 8])), float(rng.choice([0.15, 0.25, 0.4, 0.6, 0.9]))
    return _trees(key, f"leaves of {leaf}, {share:.0%} of the columns", min_samples_leaf=leaf, max_features=share)
