"""p(x_j | z) for a numeric target z on a grid: every row counts at every grid point, by its kernel weight.

    r_ik = w_i K((z_k - z_i) / h_z)
    p(z_k)        proportional to sum_i r_ik
    p(x | z_k)    numbers: sum_i r_ik K((x - x_i) / h_x) / sum_i r_ik        (linear binning on a grid of x)
                  levels:  (sum_i r_ik [x_i = x] + a) / (sum_i r_ik + a L)   with a: the smoothing
                  words:   the same with word counts
Missing cells are left out of the sums of their column. Reference: Frank, Trigg, Holmes and Witten 1999, Naive Bayes for
regression.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from mercer.arrays import Floats
from mercer.errors import BadFile
from mercer.likelihoods.density import silverman
from mercer.likelihoods.smoothing import Smoothing, SmoothingRule, smoothing_rule
from mercer.likelihoods.words import bag_of_words, read_vocabulary
from mercer.state import Reader, State
from mercer.table import Kind, Schema, Table

_GRID = 256  # points of x
_ROWS = 16384  # rows whose kernel weights are held at a time
_TINY = 1e-300


@dataclass
class NumberTable:
    """log p(x | z_k) on an even grid of x from `low` to `high`, (n_grid, n_points)."""

    low: float
    high: float
    scores: Floats

    def log_prob(self, x: Floats) -> Floats:
        """Linear between grid points; beyond the ends, the value there."""
        last = len(self.scores) - 1
        if last == 0:
            return np.broadcast_to(self.scores[0], (len(x), self.scores.shape[1]))
        at = np.clip((x - self.low) / (self.high - self.low), 0, 1) * last
        left = np.minimum(at.astype(np.int64), last - 1)
        share = (at - left)[:, None]
        return (1 - share) * self.scores[left] + share * self.scores[left + 1]


@dataclass
class TargetGrid:
    """log p(z_k) and log p(x_j | z_k) of every column, on the grid `points` of target values."""

    points: Floats
    log_prior: Floats
    numbers: list[NumberTable]
    levels: list[Floats]  # (n_levels + 1, n_points) each
    words: list[tuple[dict[str, int], Floats]]  # (n_words + 1, n_points) each

    @classmethod
    def fit(
        cls, table: Table, target: Floats, weight: Floats, n_points: int, smoothing: Smoothing, factor: float
    ) -> TargetGrid:
        """From rows of positive weight; `factor` multiplies Silverman's bandwidths."""
        width, rule = factor * silverman(target, weight), smoothing_rule(smoothing)
        points = np.linspace(target.min(), target.max(), n_points) if width > 0 else np.array([target[0]])
        weights = _KernelWeights(target, weight, points, width)
        x, codes, texts = table.numbers(), table.codes(), table.texts()
        return cls(
            points,
            np.log(np.maximum(weights.total(), _TINY)),
            [_number_table(np.asarray(x[:, j], float), weight, weights, factor) for j in range(x.shape[1])],
            [_level_table(codes[:, j], n, weights, rule) for j, n in enumerate(_level_counts(table.schema))],
            [_word_table(texts[:, j], weights, rule) for j in range(texts.shape[1])],
        )

    def log_joint(self, table: Table) -> Floats:
        """log p(z_k) + sum_j log p(x_j | z_k), (n_rows, n_points)."""
        out = np.tile(self.log_prior, (len(table), 1))
        x, codes, texts = table.numbers(), table.codes(), table.texts()
        for j, numbers in enumerate(self.numbers):
            seen = ~np.isnan(x[:, j])
            out[seen] += numbers.log_prob(np.asarray(x[seen, j], float))
        for j, scores in enumerate(self.levels):
            seen = codes[:, j] >= 0
            out[seen] += scores[codes[seen, j]]
        for j, (vocabulary, scores) in enumerate(self.words):
            out += bag_of_words(texts[:, j], vocabulary, grow=False) @ scores
        return out

    def to_state(self) -> State:
        return {
            "points": self.points,
            "log_prior": self.log_prior,
            "numbers": [{"low": t.low, "high": t.high, "scores": t.scores} for t in self.numbers],
            "levels": [{"scores": t} for t in self.levels],
            "words": [{"words": list(v), "scores": s} for v, s in self.words],
        }

    @classmethod
    def from_state(cls, state: Reader, schema: Schema) -> TargetGrid:
        numbers, levels, words = (state.children(k) for k in ("numbers", "levels", "words"))
        level_counts = _level_counts(schema)
        expected = (len(schema.of_kind(Kind.NUMERIC)), len(level_counts), len(schema.of_kind(Kind.TEXT)))
        if (len(numbers), len(levels), len(words)) != expected:
            raise BadFile(f"{state.where} does not have one table per column.")
        points = state.array("points", "float64", (None,))
        n = len(points)
        if not n or (np.diff(points) < 0).any():
            raise state.refuse("points", "values in increasing order, and at least one")
        return cls(
            points,
            state.array("log_prior", "float64", (n,)),
            [_read_numbers(reader, n) for reader in numbers],
            [r.array("scores", "float64", (count + 1, n)) for r, count in zip(levels, level_counts, strict=True)],
            [_read_words(reader, n) for reader in words],
        )


def _level_counts(schema: Schema) -> list[int]:
    """Number of levels of each column of levels."""
    return [len(schema[name].levels) for name in schema.of_kind(Kind.BINARY, Kind.CATEGORY, Kind.ORDINAL)]


class _KernelWeights:
    """r_ik in blocks of rows, so that no (rows x points) matrix is held."""

    def __init__(self, target: Floats, weight: Floats, points: Floats, width: float) -> None:
        self.target, self.weight, self.points = target, weight, points
        self.width = width if width > 0 else 1.0

    def blocks(self) -> Iterator[tuple[slice, Floats]]:
        for start in range(0, len(self.target), _ROWS):
            rows = slice(start, start + _ROWS)
            gap = (self.points - self.target[rows, None]) / self.width
            yield rows, self.weight[rows, None] * np.exp(-0.5 * gap**2)

    def total(self) -> Floats:
        return sum((r.sum(axis=0) for _, r in self.blocks()), np.zeros(len(self.points)))

    def gather(self, indicators: Any) -> Floats:
        """indicators.T @ r: (n_columns of indicators, n_points)."""
        total = np.zeros((indicators.shape[1], len(self.points)))
        for rows, r in self.blocks():
            total += indicators[rows].T @ r
        return total


def _number_table(x: Floats, weight: Floats, weights: _KernelWeights, factor: float) -> NumberTable:
    seen = ~np.isnan(x)
    width = factor * silverman(x[seen], weight[seen]) if seen.any() else 0.0
    if width == 0:  # one number, or none: the column does not tell the points apart
        return NumberTable(0.0, 0.0, np.zeros((1, len(weights.points))))
    low, high = float(x[seen].min()), float(x[seen].max())
    at = (np.where(seen, x, low) - low) / (high - low) * (_GRID - 1)
    left = np.minimum(at.astype(np.int64), _GRID - 2)
    share = at - left
    rows = np.arange(len(x))
    spread = sp.csr_array(
        (
            np.concatenate([(1 - share) * seen, share * seen]),
            (np.concatenate([rows, rows]), np.concatenate([left, left + 1])),
        ),
        shape=(len(x), _GRID),
    )
    counts = weights.gather(spread)  # (grid, points)
    grid = np.linspace(low, high, _GRID)
    kernel = np.exp(-0.5 * ((grid[:, None] - grid) / width) ** 2) / (width * np.sqrt(2 * np.pi))
    # One further row spread evenly: no point of z is impossible because of one cell.
    total = counts.sum(axis=0) + 1.0
    density = (kernel @ counts + 1.0 / (high - low)) / total
    return NumberTable(low, high, np.log(density))


def _level_table(codes: Any, n_levels: int, weights: _KernelWeights, rule: SmoothingRule) -> Floats:
    seen = np.flatnonzero(codes >= 0)
    indicators = sp.csr_array((np.ones(len(seen)), (seen, codes[seen])), shape=(len(codes), n_levels + 1))
    counts = weights.gather(indicators)[:-1]
    return _bounded(rule.log_prob(counts.T).T)


def _word_table(texts: Any, weights: _KernelWeights, rule: SmoothingRule) -> tuple[dict[str, int], Floats]:
    vocabulary: dict[str, int] = {}
    bags = bag_of_words(texts, vocabulary, grow=True)
    return vocabulary, _bounded(rule.log_prob(weights.gather(bags)[:-1].T).T)


def _bounded(scores: Floats) -> Floats:
    """Without smoothing a level can be impossible everywhere; a large penalty keeps the sums finite."""
    return np.maximum(scores, np.log(_TINY))


def _read_numbers(reader: Reader, n_points: int) -> NumberTable:
    low, high = reader.number("low", -1e300, 1e300), reader.number("high", -1e300, 1e300)
    scores = reader.array("scores", "float64", (None, n_points))
    if not len(scores) or (len(scores) > 1 and not low < high):
        raise BadFile(f"{reader.where}: an empty grid.")
    return NumberTable(low, high, scores)


def _read_words(reader: Reader, n_points: int) -> tuple[dict[str, int], Floats]:
    vocabulary = read_vocabulary(reader)
    return vocabulary, reader.array("scores", "float64", (len(vocabulary) + 1, n_points))
