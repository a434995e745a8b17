"""The binary problems of a perceptron: sides, steps, held-out rows and orders, those of scikit-learn's Perceptron."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.model_selection import StratifiedShuffleSplit
from sklearn.utils import check_random_state

from mercer._core.reference.perceptron import PassOptions
from mercer.arrays import Bools, Floats, Ints
from mercer.errors import BadTable
from mercer.estimators.perceptron.hyperplanes import Hyperplanes
from mercer.solvers.perceptron import Passes, Rows, StopRule, train

_SEEDS = np.iinfo(np.int32).max


@dataclass(frozen=True)
class TrainingRows:
    """Rows as numbers, their classes, and their weights."""

    x: Any  # (n, d), dense or CSR
    codes: Ints  # (n,)
    factors: Floats  # (n_classes,) of the steps of each class
    weight: Floats | None = None  # (n,) of the steps of each row; None for 1
    held_out: Bools | None = None  # (n,) rows on which the accuracy decides when to stop

    def problem(self, k: int, n_planes: int, eta0: float) -> Rows:
        """Plane k: the second class against the first of two, otherwise class k against the rest, of factor 1."""
        positive = self.codes == (1 if n_planes == 1 else k)
        steps = eta0 * self.factors
        step: Floats = steps[self.codes] if n_planes == 1 else np.where(positive, steps[k], eta0)
        step = step if self.weight is None else step * self.weight
        return Rows(self.x, np.where(positive, np.int8(1), np.int8(-1)), step, self.held_out, self.weight)


def train_planes(
    rows: TrainingRows, planes: Hyperplanes, options: PassOptions, stop: StopRule, *, seeds: Sequence[int | None],
    pocket: bool, n_jobs: int,
) -> list[Passes]:  # fmt: skip
    """Train each plane, in so many threads; the planes are changed in place."""

    def one(k: int) -> Passes:
        votes = planes.votes[k] if planes.votes else None
        problem = rows.problem(k, len(planes), options.eta)
        return train(problem, planes.plane(k), options, stop, seed=seeds[k], pocket=pocket, votes=votes)

    if n_jobs == 1 or len(planes) == 1:
        return [one(k) for k in range(len(planes))]
    with ThreadPoolExecutor(min(n_jobs, len(planes))) as pool:
        return list(pool.map(one, range(len(planes))))


def plane_seeds(random_state: Any, n_planes: int) -> list[int | None]:
    """The seed of the orders of each plane, as scikit-learn draws them."""
    random = check_random_state(random_state)
    sources = [random]
    if n_planes > 1:
        sources = [check_random_state(seed) for seed in random.randint(_SEEDS, size=n_planes)]
    for source in sources:
        source.randint(1, _SEEDS)  # theirs seeds a generator first that it does not use
    return [int(source.randint(_SEEDS)) for source in sources]


def hold_out(codes: Ints, weight: Floats | None, share: float, random_state: Any) -> Bools:
    """A random share of each class, (n,), for early stopping."""
    split = StratifiedShuffleSplit(test_size=share, random_state=random_state)
    chosen = next(split.split(np.zeros((len(codes), 1)), codes))[1]
    if weight is not None and not weight[chosen].any():
        raise BadTable("The sample weights for validation set are all zero, consider using a different random state.")
    held_out = np.zeros(len(codes), dtype=bool)
    held_out[chosen] = True
    return held_out
