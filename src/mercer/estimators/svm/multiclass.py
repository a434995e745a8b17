"""Several classes by binary problems: which rows and signs each problem has, and how their decisions become one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Literal

import numpy as np
from sklearn.utils.multiclass import _ovr_decision_function

from mercer.arrays import Bools, Floats, Ints, Longs
from mercer.errors import BadTarget
from mercer.select.calibration import Calibrator

Strategy = Literal["ovo", "ovr"]


@dataclass(frozen=True, slots=True)
class BinaryProblem:
    """Two classes: the training rows, and +1 or -1 for each."""

    rows: Ints
    y: Floats

    def take(self, kept: Bools) -> BinaryProblem:
        """Some of the rows."""
        return BinaryProblem(self.rows[kept], self.y[kept])


@dataclass(frozen=True, slots=True)
class Multiclass:
    """Classes told apart pair by pair ("ovo") or each from the rest ("ovr"); two classes are one binary problem.

    Decisions are (n_rows, n_problems). Of two classes the second is +1; "ovo" has +1 for the first class of a pair, in
    the order of `itertools.combinations`, "ovr" for the class itself.
    """

    n_classes: int
    strategy: Strategy

    @property
    def paired(self) -> bool:
        """Whether there is a problem for each of several pairs."""
        return self.n_classes > 2 and self.strategy == "ovo"

    @property
    def pairs(self) -> list[tuple[int, int]]:
        """The classes of each problem, where they are paired."""
        return list(combinations(range(self.n_classes), 2))

    @property
    def n_problems(self) -> int:
        """How many binary problems there are."""
        return 1 if self.n_classes == 2 else len(self.pairs) if self.paired else self.n_classes

    @property
    def n_coef(self) -> int:
        """Rows of `dual_coef_`: with pairs a support vector of one class has a coefficient for each other class."""
        return self.n_classes - 1 if self.paired else self.n_problems

    def problems(self, codes: Ints) -> list[BinaryProblem]:
        """The binary problems of rows with these class codes."""
        every = np.arange(len(codes), dtype=np.int32)
        if not self.paired:
            positive = [1] if self.n_classes == 2 else range(self.n_classes)
            return [BinaryProblem(every, np.where(codes == c, 1.0, -1.0)) for c in positive]
        found = []
        for first, second in self.pairs:
            rows = np.flatnonzero((codes == first) | (codes == second)).astype(np.int32)
            found.append(BinaryProblem(rows, np.where(codes[rows] == first, 1.0, -1.0)))
        return found

    def class_codes(self, decisions: Floats, break_ties: bool = False) -> Longs:
        """The class of each row; of several, the one that wins most pairs, or with `break_ties` by decision values."""
        if self.n_classes == 2:
            return (decisions[:, 0] >= 0).astype(np.int64)
        if self.paired and not break_ties:
            return np.argmax(pair_votes(decisions, self.n_classes), axis=1)
        return np.argmax(self.decision_function(decisions, "ovr"), axis=1)

    def decision_function(self, decisions: Floats, shape: Strategy) -> Floats:
        """(n_rows,) for two classes, else a column per class ("ovr") or as they are."""
        if self.n_classes == 2:
            return decisions[:, 0]
        if self.paired and shape == "ovr":
            return np.asarray(_ovr_decision_function(decisions < 0, -decisions, self.n_classes))
        return decisions

    def probabilities(self, decisions: Floats, calibrators: Sequence[Calibrator], chosen: Longs) -> Floats:
        """(n_rows, n_classes); the largest is always that of the class chosen."""
        single = np.column_stack([calibrate(decisions[:, m]) for m, calibrate in enumerate(calibrators)])
        if self.n_classes == 2:
            found = np.column_stack([1 - single[:, 0], single[:, 0]])
        elif self.paired:
            found = pairwise_coupling(single, self.n_classes)
        else:
            single = np.maximum(single, 1e-12)
            found = single / single.sum(axis=1, keepdims=True)
        return agreeing(found, chosen)

    def dual_coef(self, coefs: Sequence[tuple[Ints, Floats]], codes: Ints) -> Floats:
        """(kernel rows, coefficients) of every problem in scikit-learn's layout, (n_coef, n_rows)."""
        found = np.zeros((self.n_coef, len(codes)))
        for m, (rows, coef) in enumerate(coefs):
            line: int | Longs = m
            if self.paired:
                first, second = self.pairs[m]
                line = np.where(codes[rows] == first, second - 1, first)
            found[line, rows] = coef
        return found

    def problem_coef(self, dual_coef: Floats, n_support: Ints) -> Floats:
        """The coefficients of each binary problem, (n_problems, n_support), from scikit-learn's layout."""
        if not self.paired:
            return dual_coef
        ends = np.concatenate([[0], np.cumsum(n_support)])
        found = np.zeros((self.n_problems, dual_coef.shape[1]))
        for m, (first, second) in enumerate(self.pairs):
            of_first, of_second = slice(ends[first], ends[first + 1]), slice(ends[second], ends[second + 1])
            found[m, of_first] = dual_coef[second - 1, of_first]
            found[m, of_second] = dual_coef[first, of_second]
        return found


def expect_two_classes(model: object, codes: Ints, weight: Floats) -> None:
    """BadTarget unless rows of two classes or more have a positive weight."""
    present = len(np.unique(codes[weight > 0]))
    if present < 2:
        alone = len(np.unique(codes)) > 1
        reason = (
            "Invalid input - all samples with positive weights belong to the same class, with which a specified nu is "
            "infeasible too"
        )
        raise BadTarget(
            f"{type(model).__name__} tells classes apart: the number of classes has to be greater than one; got "
            f"{present} class with positive weight.{f' {reason}.' if alone else ''}"
        )


def pair_votes(decisions: Floats, n_classes: int) -> Longs:
    """How many of its pairs each class wins, (n_rows, n_classes)."""
    first, second = np.triu_indices(n_classes, 1)  # the order of combinations()
    wins = decisions > 0
    won = np.zeros((len(decisions), n_classes, n_classes), dtype=bool)
    won[:, first, second], won[:, second, first] = wins, ~wins
    found: Longs = won.sum(axis=2, dtype=np.int64)
    return found


def pairwise_coupling(pair_probability: Floats, n_classes: int) -> Floats:
    """Class probabilities p from r_ij = P(i | i or j), (n_rows, n_classes).

    Minimises sum_i sum_{j != i} (r_ji p_i - r_ij p_j)^2 with sum p = 1, a linear system per row.
    Reference: Wu, Lin and Weng 2004, Probability estimates for multi-class classification by pairwise coupling, eq. 21.
    """
    n, k = len(pair_probability), n_classes
    r = np.zeros((n, k, k))
    for p, (first, second) in enumerate(combinations(range(k), 2)):
        r[:, first, second] = np.clip(pair_probability[:, p], 1e-7, 1 - 1e-7)
        r[:, second, first] = 1 - r[:, first, second]
    system = np.zeros((n, k + 1, k + 1))
    system[:, :k, :k] = -np.swapaxes(r, 1, 2) * r
    diagonal = np.arange(k)
    system[:, diagonal, diagonal] = (r**2).sum(axis=1)
    system[:, :k, k] = system[:, k, :k] = 1.0
    right = np.zeros((n, k + 1, 1))
    right[:, k] = 1.0
    found: Floats = np.maximum(np.linalg.solve(system, right)[:, :k, 0], 0.0)
    return found / found.sum(axis=1, keepdims=True)


def agreeing(probability: Floats, chosen: Longs) -> Floats:
    """Probabilities whose largest is that of the chosen class: where another was larger, both get their mean.

    The smallest change that keeps rows adding up to 1 and lets the largest probability name the predicted class.
    """
    rows = np.arange(len(probability))
    found = probability.copy()
    largest = np.argmax(found, axis=1)
    wrong = largest != chosen
    while wrong.any():
        i = rows[wrong]
        mean = (found[i, chosen[i]] + found[i, largest[i]]) / 2
        found[i, largest[i]] = np.nextafter(mean, 0.0)
        found[i, chosen[i]] = np.nextafter(mean, 1.0)
        largest = np.argmax(found, axis=1)
        wrong = largest != chosen
    return found
