"""Boosting on rows that are elsewhere in parts: each part answers what is asked of it, and the answers are merged.

The trees are those of `boost`, bit for bit: histograms are sums of integers. Mean losses are sums of floats, part by
part, and agree with those of `boost` to rounding.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer.arrays import Floats, Ints, Longs
from mercer.solvers.boost.binning import Bytes
from mercer.solvers.boost.boost import Method, Rows, Work
from mercer.solvers.boost.growth import Growing, Growth, Question, Scale
from mercer.solvers.boost.parts import Count, Histograms, Open, Opening, Round
from mercer.solvers.held import Held

_LARGEST = 1e300  # gradient or hessian, as in boost_data.hpp


@dataclass(frozen=True)
class Labels:
    """What is known here of rows in parts: target, weights, counts, and the rows of each part by its place."""

    y: NDArray[Any]  # of any type of numbers
    weight: Floats | None
    count: NDArray[np.uint32] | None
    places: Mapping[int, NDArray[np.unsignedinteger[Any]]]  # empty where rows are neither drawn nor scored

    def rows(self) -> Rows:
        """As a score takes them."""
        y = self.y.astype(np.float64, copy=False)
        return Rows(np.empty((len(y), 0), np.uint8), y, self.weight, self.count)

    def raw(self, found: Mapping[int, Floats], n_outputs: int) -> Floats:
        """Raw predictions of all rows from those of each part."""
        out = np.empty((len(self.y), n_outputs))
        for place, values in found.items():
            out[self.places[place]] = values
        return out


class PartsWork(Work):
    """Trees grown on the histograms of parts."""

    def __init__(
        self,
        held: Held,
        train: Labels,
        test: Labels | None,
        method: Method,
        bins: Ints,
        nominal: Bytes,
        score: Callable[[Floats, Rows], float] | None,
    ) -> None:
        start = method.loss.start(train.y, train.weight)
        super().__init__(method, bins.astype(np.uint8), start, len(train.y))
        self.held, self.train, self.test, self.score = held, train, test, score
        self.bins, self.nominal = bins, nominal
        self.opened: tuple[int, Any, Opening, list[dict[str, Any]], int] | None = None

    def scores(self) -> tuple[float, float | None]:
        """Of the training rows and the test rows."""
        opening, loss, n_outputs = self._open()[2], self.method.loss, len(self.start)
        score = self.score or (lambda raw, rows: -loss.mean(raw, rows.y, rows.weight))
        if self.score is None:
            sums = [opening.losses[place] for place in sorted(opening.losses)]
            train = -math.fsum(s for s, _ in sums) / math.fsum(mass for _, mass in sums)
        else:
            train = score(self.train.raw(opening.train, n_outputs), self.train.rows())
        if self.test is None:
            return train, None
        return train, score(self.test.raw(opening.test, n_outputs), self.test.rows())

    def round(self) -> None:
        """One tree per output."""
        _, shared, opening, rules, n_rows = self._open()
        if not (opening.largest <= _LARGEST).all():
            raise self.beyond()
        scales = tuple(Scale(float(g), float(h), n_rows) for g, h in opening.largest)
        growing = [Growth(self.bins, self.nominal, r, s).grow() for r, s in zip(rules, scales, strict=True)]
        grown: list[Any] = [None] * len(growing)
        questions: list[Question | None] = [next(tree) for tree in growing]
        while any(q is not None for q in questions):
            answer: Histograms = self.held.ask(Count(tuple(questions), scales, self.bins), shared)
            questions = [_sent(growing, grown, k, histograms) for k, histograms in enumerate(answer.arrays)]
        self.add([self.shrunk(tree) for tree in grown])

    def _open(self) -> tuple[int, Any, Opening, list[dict[str, Any]], int]:
        """This round: its number, what the parts share, how it begins, the rules of its trees, rows it learns from."""
        if self.opened is None or self.opened[0] != self.n_rounds:
            rows, rules = self.draws()
            now = Round(self.forest(), self.method.loss, self._bits(rows), self.method.n_jobs)
            shared = self.held.share(now)
            scored = self.method.patience is not None
            opening = self.held.ask(Open(scored, self.score is not None), shared)
            used = slice(None) if rows is None else rows
            n_rows = len(self.train.y[used])
            if self.train.count is not None:
                n_rows = max(n_rows, int(self.train.count[used].sum(dtype=np.int64)))
            self.opened = self.n_rounds, shared, opening, rules, n_rows
        return self.opened

    def _bits(self, rows: NDArray[np.uint32] | None) -> dict[int, Bytes] | None:
        if rows is None:
            return None
        drawn = np.zeros(len(self.train.y), dtype=bool)
        drawn[rows] = True
        return {place: np.packbits(drawn[own]) for place, own in self.train.places.items()}


def _sent(growing: list[Growing], grown: list[Any], k: int, histograms: Longs | None) -> Question | None:
    """The next question of tree k, which is sent an answer; None for a tree that is grown."""
    if histograms is None:
        return None
    try:
        return growing[k].send(histograms)
    except StopIteration as end:
        grown[k] = end.value
        return None
