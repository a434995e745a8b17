"""Strategies for several classes: which rows and signs each binary problem has, and how their decisions become one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Literal, TypeAlias

import numpy as np
from sklearn.utils.multiclass import _ovr_decision_function

from mercer.arrays import Floats, Ints, Longs
from mercer.errors import BadTarget
from mercer.estimators.multiclass.codes import TWO_CLASSES, BinaryProblem, Code, code_problems
from mercer.estimators.multiclass.coupling import agreeing, code_coupling, pairwise_coupling
from mercer.estimators.multiclass.decoding import loss_scores
from mercer.estimators.multiclass.designs import one_vs_one, one_vs_rest
from mercer.select.calibration import Calibrator

Strategy: TypeAlias = Literal["ovo", "ovr", "ecoc"]
Shape: TypeAlias = Literal["ovo", "ovr"]


@dataclass(frozen=True, slots=True)
class Multiclass:
    """Classes told apart pair by pair ("ovo"), each from the rest ("ovr") or by a code ("ecoc"); two by one problem.

    Decisions are (n_rows, n_problems). Of two classes the second is +1; "ovo" has +1 for the first class of a pair, in
    the order of `itertools.combinations`, "ovr" for the class itself, "ecoc" where its `book` has it.
    """

    n_classes: int
    strategy: Strategy
    book: Code | None = None

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
        return self.code.shape[1]

    @property
    def n_coef(self) -> int:
        """Rows of `dual_coef_`: with pairs a support vector of one class has a coefficient for each other class."""
        return self.n_classes - 1 if self.paired else self.n_problems

    @property
    def coded(self) -> bool:
        """Whether problems are the columns of a code, whose nearest row is the class."""
        return self.n_classes > 2 and self.strategy == "ecoc"

    @property
    def code(self) -> Code:
        """A row for each class, a column for each problem, (n_classes, n_problems)."""
        if self.n_classes == 2:
            return TWO_CLASSES
        if self.book is not None:
            return self.book
        return one_vs_one(self.n_classes) if self.paired else one_vs_rest(self.n_classes)

    def problems(self, codes: Ints) -> list[BinaryProblem]:
        """The binary problems of rows with these class codes."""
        return code_problems(self.code, codes)

    def class_codes(self, decisions: Floats, break_ties: bool = False, calibrators: Sequence[Calibrator] = ()) -> Longs:
        """The class of each row; of several, the one that wins most pairs, or with `break_ties` by decision values.

        Of two the one on whose side of 0 the decision is, or the more probable one by a calibrator that stands alone.
        """
        if self.n_classes == 2:
            curve = calibrators[0] if calibrators and calibrators[0].alone else None
            called = decisions[:, 0] >= 0 if curve is None else curve(decisions[:, 0]) > 0.5
            return called.astype(np.int64)
        if self.paired and not break_ties:
            return np.argmax(pair_votes(decisions, self.n_classes), axis=1)
        return np.argmax(self.decision_function(decisions, "ovr"), axis=1)

    def decision_function(self, decisions: Floats, shape: Shape) -> Floats:
        """(n_rows,) for two classes, else a column per class ("ovr"; minus the hinge loss of a code) or as they are."""
        if self.n_classes == 2:
            return decisions[:, 0]
        if self.coded and shape == "ovr":
            return loss_scores(decisions, self.code, "hinge")
        if self.paired and shape == "ovr":
            return np.asarray(_ovr_decision_function(decisions < 0, -decisions, self.n_classes))
        return decisions

    def calibrated(self, decisions: Floats, calibrators: Sequence[Calibrator], break_ties: bool = False) -> Floats:
        """Class probabilities from decisions and the curve of each problem; the largest is that of the class called."""
        single = [calibrate(decisions[:, m]) for m, calibrate in enumerate(calibrators)]
        return self.probabilities(np.column_stack(single), self.class_codes(decisions, break_ties, calibrators))

    def probabilities(self, single: Floats, chosen: Longs) -> Floats:
        """From P(+1) of each problem, (n_rows, n_classes); the largest is always that of the class chosen."""
        if self.n_classes == 2:
            found = np.column_stack([1 - single[:, 0], single[:, 0]])
        elif self.paired:
            found = pairwise_coupling(single, self.n_classes)
        elif self.coded:
            found = code_coupling(single, self.code)
        else:
            single = np.maximum(single, 1e-12)
            found = single / single.sum(axis=1, keepdims=True)
        return agreeing(found, chosen)

    def dual_coef(self, coefs: Sequence[tuple[Ints, Floats]], codes: Ints) -> Floats:
        """(kernel rows, coefficients) of every problem in scikit-learn's layout, (n_coef, n_rows)."""
        found, pairs = np.zeros((self.n_coef, len(codes))), self.pairs
        for m, (rows, coef) in enumerate(coefs):
            line: int | Longs = m
            if self.paired:
                first, second = pairs[m]
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
