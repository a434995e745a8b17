"""Passes over the training rows until none is a mistake, and probabilities from scores."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from scipy import special
from scipy.optimize import minimize_scalar

from mercer.arrays import Floats, Ints
from mercer.table import Table


@dataclass(frozen=True)
class Examples:
    """Training rows in the order they are shown."""

    table: Table
    codes: Ints  # (n_rows,) class of each row
    repeats: Floats  # (n_rows,) how often each row is shown: its sample weight
    factor: Floats  # (n_rows,) of the step and of the mistakes of each row: that of its class
    signs: Floats  # (n_rows, n_planes) -1 or 1: its side of each hyperplane

    def __len__(self) -> int:
        return len(self.codes)

    @property
    def weight(self) -> Floats:
        """What each row counts in the log-loss of probabilities; above 0."""
        return np.maximum(self.repeats * self.factor, 1e-300)

    def errors(self, scores: Floats) -> float:
        """The weight of the rows that these scores (n_rows, n_planes) misclassify."""
        wrong = class_scores(scores).argmax(axis=1) != self.codes
        return float((self.repeats * self.factor)[wrong].sum())


class Trainer(Protocol):
    """A model being trained on some examples."""

    def one_pass(self, order: NDArray[np.intp]) -> float:
        """Show the rows in this order, move the hyperplanes at each mistake; the mistakes, by weight."""

    def train_scores(self) -> Floats:
        """The scores of the examples by the hyperplanes as they are now, (n_rows, n_planes)."""

    def snapshot(self) -> Any:
        """The hyperplanes as they are now."""

    def restore(self, snapshot: Any) -> None:
        """Back to the hyperplanes of a snapshot."""

    def finish(self) -> Floats:
        """End the training; the scores of the examples, (n_rows, n_planes)."""


@dataclass(frozen=True)
class Passes:
    """How the passes went."""

    n_iter: int
    mistakes: float  # during the last pass
    errors: float  # training rows misclassified after the best pass, by weight
    separated: bool


def run_passes(
    trainer: Trainer, examples: Examples, *, max_iter: int, n_iter_no_change: int, random: np.random.RandomState | None
) -> Passes:
    """Pass after pass, until one is without mistakes or none of the last `n_iter_no_change` was better.

    Where the classes do not separate, the model is left as after the best pass: that whose hyperplanes misclassify the
    fewest training rows, of equals that with fewer mistakes on its way (the pocket algorithm, Gallant 1990). Mistakes
    alone are no measure: on rows sorted by class they are few, since each class is learnt anew and then repeated.

    random : draws the order of each pass; None shows the rows in their order
    """
    fewest, idle, best = (np.inf, np.inf), 0, None
    mistakes, number = np.inf, 0
    for number in range(1, max_iter + 1):
        mistakes = trainer.one_pass(np.arange(len(examples)) if random is None else random.permutation(len(examples)))
        if mistakes == 0:
            return Passes(number, 0.0, 0.0, separated=True)
        found = (examples.errors(trainer.train_scores()), mistakes)
        if found < fewest:
            fewest, idle, best = found, 0, trainer.snapshot()
        else:
            idle += 1
        if idle >= n_iter_no_change:
            break
    trainer.restore(best)
    return Passes(number, mistakes, fewest[0], separated=False)


def class_signs(codes: Ints, n_classes: int) -> Floats:
    """-1 and 1: (n_rows, 1) for two classes, otherwise a column for each class against the rest."""
    if n_classes == 2:
        return np.where(codes == 1, 1.0, -1.0)[:, None]
    return np.where(codes[:, None] == np.arange(n_classes), 1.0, -1.0)


def class_scores(scores: Floats) -> Floats:
    """A column for each class: of two classes, the first scores 0."""
    return np.column_stack([np.zeros(len(scores)), scores]) if scores.shape[1] == 1 else scores


def compared_classes(scores: Floats) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """The classes that an explanation compares: the second and the first, or of several the best and the runner-up."""
    if scores.shape[1] == 1:
        return np.ones(len(scores), dtype=np.intp), np.zeros(len(scores), dtype=np.intp)
    order = np.argsort(-scores, axis=1, kind="stable")
    return order[:, 0], order[:, 1]


def fit_link(scores: Floats, codes: Ints, weight: Floats) -> float:
    """The link of least log-loss, where P(c | x) is proportional to exp(link * score of c).

    One number for all classes, so that the most probable class is the one with the highest score.
    """
    size = max(float(np.abs(scores).max(initial=0.0)), 1e-300)
    unit = class_scores(scores / size)
    own = unit[np.arange(len(codes)), codes]

    def loss(power: float) -> float:
        scaled = np.exp(power) * unit
        # logsumexp takes ten times as long.
        total = np.logaddexp(*scaled.T) if scaled.shape[1] == 2 else special.logsumexp(scaled, axis=1)
        return float(weight @ (total - np.exp(power) * own))

    found = minimize_scalar(loss, bounds=(-5.0, 5.0), method="bounded")
    return float(np.exp(found.x)) / size
