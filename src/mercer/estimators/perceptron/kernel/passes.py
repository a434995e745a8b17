"""Passes of the kernel perceptron over its training rows until none is a mistake."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from mercer.arrays import Floats, Ints
from mercer.estimators.common.explanations.compared import class_scores
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
