"""The rows of a chunk while trees are boosted: what they are asked, and what they answer.

A part keeps the raw predictions of its rows, and where they are in the trees that grow, for the next question. What it
does not know, because it was made anew, it works out from the trees of the rounds before: no answer depends on what was
asked before it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from threading import Lock
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from mercer._core import boost as core
from mercer._core.threads import effective_jobs
from mercer.arrays import Floats, Ints, Longs
from mercer.solvers.boost.binning import Bytes
from mercer.solvers.boost.forest import Forest
from mercer.solvers.boost.growth import Question, Scale
from mercer.solvers.boost.losses import Loss


class Cells(Protocol):
    """Bins (n_rows, n_columns), wherever they are."""

    def read(self) -> Bytes:
        """In memory."""


@dataclass(frozen=True)
class Round:
    """What every part must know of a round: the trees of the rounds before it, and which rows it draws.

    drawn: of each part by its place, bits that say which of its training rows are drawn; None for all. most_jobs:
    threads, as far as the process that holds a part has processors.
    """

    forest: Forest
    loss: Loss
    drawn: Mapping[int, Bytes] | None
    most_jobs: int

    @property
    def n_jobs(self) -> int:
        """Threads of this process."""
        return min(self.most_jobs, effective_jobs(None))


@dataclass
class PartRows:
    """Some rows: their bins, target (of any type of numbers), weights, and how many rows each stands for."""

    cells: Cells
    y: NDArray[Any]
    weight: Floats | None = None
    count: NDArray[np.uint32] | None = None
    raw: Floats | None = None  # after `done` rounds
    done: int = 0

    def raw_at(self, now: Round) -> Floats:
        """Raw predictions (n_rows, n_outputs) after the rounds before this one."""
        forest, rounds = now.forest, now.forest.n_rounds
        if self.raw is None or self.done > rounds:
            self.raw, self.done = np.tile(forest.start, (len(self.y), 1)), 0
        if self.done < rounds:
            later = replace(forest, root=forest.root[self.done * forest.n_outputs :])
            core.boost_values(later, self.cells.read(), self.raw, now.n_jobs)
            self.done = rounds
        return self.raw

    def gradients(self, now: Round, rows: NDArray[Any] | slice) -> tuple[Floats, Floats]:
        """Gradients and hessians of some rows, (n_outputs, number of these rows)."""
        raw = np.ascontiguousarray(self.raw_at(now)[rows].T)
        gradient, hessian = np.empty_like(raw), np.empty_like(raw)
        weight = None if self.weight is None else self.weight[rows]
        now.loss.gradients(raw, self.y[rows].astype(np.float64), weight, gradient, hessian, now.n_jobs)
        return gradient, hessian

    def loss(self, now: Round) -> tuple[float, float]:
        """Sum of the losses, and of the weights."""
        mass = float(len(self.y)) if self.weight is None else float(self.weight.sum())
        mean = now.loss.mean(self.raw_at(now), self.y.astype(np.float64), self.weight) if mass else 0.0
        return mass * mean, mass


@dataclass
class Part:
    """The rows of one chunk: those learned from and, where rows are set aside, those that rounds are scored on."""

    place: int
    train: PartRows
    test: PartRows | None = None
    nodes: dict[int, tuple[int, NDArray[Any]]] = field(default_factory=dict)  # of each output: round, nodes of rows
    lock: Any = field(default_factory=Lock)

    def __getstate__(self) -> dict[str, Any]:
        """What another process is sent: without what it can work out."""
        plain = (None if rows is None else replace(rows, raw=None, done=0) for rows in (self.train, self.test))
        return dict(zip(("place", "train", "test"), (self.place, *plain), strict=True))

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state, nodes={}, lock=Lock())

    def drawn(self, now: Round) -> NDArray[np.bool_] | None:
        """Which training rows this round learns from; None for all."""
        n = len(self.train.y)
        return None if now.drawn is None or not n else np.unpackbits(now.drawn[self.place], count=n).astype(bool)

    def nodes_in(self, now: Round, output: int, question: Question, cells: Bytes) -> Ints:
        """The node of the growing tree of an output that each training row is in."""
        done, kept = self.nodes.get(output, (-1, None))
        nodes = np.zeros(len(cells), np.int32) if kept is None or done != now.forest.n_rounds else kept.astype(np.int32)
        core.boost_descend(question.tree, cells, nodes, now.n_jobs)
        small = np.uint16 if len(question.slot) <= 1 << 16 else np.int32
        self.nodes[output] = now.forest.n_rounds, nodes.astype(small)
        return nodes


@dataclass(frozen=True)
class Opening:
    """How a round begins: the largest gradient and hessian of each output, losses, and raw predictions if wanted.

    Of losses and raw predictions, each place has its own: what is summed up is summed up in their order.
    """

    largest: Floats  # (n_outputs, 2)
    losses: dict[int, tuple[float, float]]
    train: dict[int, Floats]
    test: dict[int, Floats]

    def merge(self, other: Opening) -> Opening:
        """That of both."""
        largest = np.maximum(self.largest, other.largest)  # which is NaN where one is
        return Opening(largest, self.losses | other.losses, self.train | other.train, self.test | other.test)


@dataclass(frozen=True)
class Open:
    """Asks how a round begins; `scored`: with losses and raw predictions of test rows, `whole`: of training rows."""

    scored: bool
    whole: bool

    def __call__(self, parts: Sequence[Part], now: Round) -> Opening:
        """Of these parts."""
        found = Opening(np.zeros((now.forest.n_outputs, 2)), {}, {}, {})
        for part in parts:
            with part.lock:
                found = found.merge(self._of(part, now))
        return found

    def _of(self, part: Part, now: Round) -> Opening:
        drawn = part.drawn(now)
        gradient, hessian = part.train.gradients(now, slice(None) if drawn is None else np.flatnonzero(drawn))
        with np.errstate(invalid="ignore"):
            largest = np.column_stack([np.abs(gradient).max(axis=1, initial=0), hessian.max(axis=1, initial=0)])
        if (hessian < 0).any():
            largest[:] = np.nan
        place, test = part.place, part.test
        losses = {place: part.train.loss(now)} if self.scored and not self.whole else {}
        train = {place: part.train.raw_at(now)} if self.scored and self.whole else {}
        return Opening(largest, losses, train, {place: test.raw_at(now)} if self.scored and test is not None else {})


@dataclass(frozen=True)
class Histograms:
    """Of each output, (n_slots, n_entries, 2); None of one that asked for none."""

    arrays: tuple[Longs | None, ...]

    def merge(self, other: Histograms) -> Histograms:
        """The sums."""
        pairs = zip(self.arrays, other.arrays, strict=True)
        return Histograms(tuple(None if a is None or b is None else a + b for a, b in pairs))


def no_sums(n_slots: int, bins: Ints) -> Longs:
    """Histograms (n_slots, n_entries, 2) of no rows."""
    return np.zeros((n_slots, int((bins + 1).sum()), 2), np.int64)


def asked_rows(question: Question, nodes: Ints, among: NDArray[np.bool_] | None) -> tuple[NDArray[np.uint32], Ints]:
    """Numbers of the rows that are asked about, and which histogram each counts for.

    nodes: that the rows are in. among: which rows count; None for all.
    """
    slot = question.slot[nodes]
    rows = np.flatnonzero(slot >= 0 if among is None else (slot >= 0) & among)
    return rows.astype(np.uint32), slot[rows].astype(np.int32, copy=False)


@dataclass(frozen=True)
class Count:
    """Asks for histograms: a question of each output, None of a tree that is grown, and the scale of its integers."""

    questions: tuple[Question | None, ...]
    scales: tuple[Scale, ...]
    bins: Ints

    def __call__(self, parts: Sequence[Part], now: Round) -> Histograms:
        """Of these parts."""
        found = tuple(None if q is None else no_sums(q.n_slots, self.bins) for q in self.questions)
        for part in parts:
            with part.lock:
                self._add(part, now, found)
        return Histograms(found)

    def _add(self, part: Part, now: Round, out: Sequence[Longs | None]) -> None:
        cells, drawn, train = part.train.cells.read(), part.drawn(now), part.train
        for k, (question, scale, own) in enumerate(zip(self.questions, self.scales, out, strict=True)):
            if question is None or own is None:
                continue
            rows, slot = asked_rows(question, part.nodes_in(now, k, question, cells), drawn)
            if not len(rows):
                continue
            gradient, hessian = train.gradients(now, rows)
            count = None if train.count is None else train.count[rows]
            which = rows, slot, gradient[k], hessian[k], count
            scaled = scale.gradient, scale.hessian, scale.n_rows
            core.boost_histograms(cells, self.bins, *which, *scaled, own, now.n_jobs)
