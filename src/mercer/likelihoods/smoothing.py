"""From counts to probabilities: none, additive (Laplace's rule is alpha = 1), and the m-estimate.

none        N_il / N_i
additive    (N_il + alpha) / (N_i + alpha L)         L: number of levels of the column
m-estimate  (N_il + m p_l) / (N_i + m)               p_l: uniform 1 / L, or the share of level l in all classes
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, TypeAlias

import numpy as np

from mercer.arrays import Floats
from mercer.docstrings import shares_docs
from mercer.errors import BadParameter
from mercer.parameters import (
    Choice,
    Either,
    Number,
    Numbers,
    Parameters,
    Part,
    check_parameters,
    parameters_state,
    read_parameters,
)
from mercer.state import Reader

LevelPrior = Literal["uniform", "marginal"]

_LOG_PROB = {
    "counts": """
        counts : ndarray of shape (n_classes, n_levels)
            Weight of each level in each class.""",
    "log_prob": """
        log_prob : ndarray of shape (n_classes, n_levels + 1)
            Log probability of each level; the last column is for a level that no training row has. A class without
            counts gets 0 everywhere, and so does an unseen level without smoothing: neither is evidence.""",
}


@dataclass(frozen=True, slots=True)
class Alpha:
    """p_il = (N_il + alpha) / (N_i + alpha L), additive smoothing.

    Parameters
    ----------
    alpha : float, default 1.0
        Added to every count, at least 0. 1 is Laplace's rule, 0 no smoothing.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer.likelihoods import Alpha
    >>> np.exp(Alpha(1.0).log_prob(np.array([[3.0, 0.0, 1.0]]))).round(3)
    array([[0.571, 0.143, 0.286, 0.143]])
    """

    parameters: ClassVar[Parameters] = {"alpha": Number(0)}

    alpha: float = 1.0

    @shares_docs(**_LOG_PROB)
    def log_prob(self, counts: Floats) -> Floats:
        """Smoothed log probabilities.

        Parameters
        ----------
        {counts}

        Returns
        -------
        {log_prob}
        """
        total = counts.sum(axis=1, keepdims=True) + self.alpha * counts.shape[1]
        padded = np.pad(counts, ((0, 0), (0, 1))) + self.alpha
        return _log_shares(padded, total, smoothed=self.alpha > 0)


@dataclass(frozen=True, slots=True)
class MEstimate:
    """p_il = (N_il + m p_l) / (N_i + m), as if m further rows had been seen in each class.

    Parameters
    ----------
    m : float, default 1.0
        Weight of the further rows, at least 0.
    p : {"uniform", "marginal"}, default "uniform"
        How they are spread over the levels: evenly, or as in all classes together.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer.likelihoods import MEstimate
    >>> np.exp(MEstimate(m=2).log_prob(np.array([[3.0, 1.0]]))).round(3)
    array([[0.667, 0.333, 0.167]])
    """

    parameters: ClassVar[Parameters] = {"m": Number(0), "p": Choice(LevelPrior)}

    m: float = 1.0
    p: LevelPrior = "uniform"

    @shares_docs(**_LOG_PROB)
    def log_prob(self, counts: Floats) -> Floats:
        """Smoothed log probabilities.

        Parameters
        ----------
        {counts}

        Returns
        -------
        {log_prob}
        """
        padded = np.pad(counts, ((0, 0), (0, 1))) + self.m * self._level_prior(counts)
        return _log_shares(padded, counts.sum(axis=1, keepdims=True) + self.m, smoothed=self.m > 0)

    def _level_prior(self, counts: Floats) -> Floats:
        """p_l of each level, then of a level outside the schema; a level without counts gets the share of one row."""
        n_levels, total = counts.shape[1], counts.sum()
        if self.p == "uniform" or total == 0:
            return np.full(n_levels + 1, 1.0 / max(n_levels, 1))
        shares = np.append(counts.sum(axis=0) / total, 0.0)
        return np.where(shares > 0, shares, 1.0 / max(total, 1.0))


@dataclass(frozen=True, slots=True)
class ColumnAlpha:
    """p_ij = (N_ij + alpha_j) / (N_i + sum_j alpha_j), additive smoothing of counts with a number for each column.

    Parameters
    ----------
    alpha : sequence of float
        Added to the count of each column, at least 0.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer.likelihoods import ColumnAlpha
    >>> np.exp(ColumnAlpha((1.0, 2.0)).log_prob(np.array([[1.0, 1.0]]))).round(3)
    array([[0.4, 0.6, 0.3]])
    """

    parameters: ClassVar[Parameters] = {"alpha": Numbers(0)}

    alpha: Sequence[float]

    @shares_docs(**_LOG_PROB)
    def log_prob(self, counts: Floats) -> Floats:
        """Smoothed log probabilities.

        Parameters
        ----------
        {counts}

        Returns
        -------
        {log_prob}
        """
        alpha = np.asarray(self.alpha)
        total = counts.sum(axis=1, keepdims=True) + alpha.sum()
        padded = np.pad(counts, ((0, 0), (0, 1))) + np.append(alpha, alpha.mean())
        return _log_shares(padded, total, smoothed=bool(alpha.mean() > 0))


SmoothingRule: TypeAlias = Alpha | MEstimate
Smoothing: TypeAlias = Literal["laplace", "none"] | float | SmoothingRule | None
ColumnSmoothing: TypeAlias = Smoothing | ColumnAlpha


def _rule(kind: type[Any]) -> Part:
    read: Callable[[Reader], Any] = lambda state: kind(**read_parameters(state, kind.parameters))  # noqa: E731
    return Part(f"{kind.__name__}(...)", kind, parameters_state, read)


SMOOTHING = Either(Choice(("laplace", "none", None)), Number(0), _rule(Alpha), _rule(MEstimate))
COLUMN_SMOOTHING = Either(*SMOOTHING.cases, _rule(ColumnAlpha))  # of numeric columns


def smoothing_rule(smoothing: Smoothing) -> SmoothingRule:
    """The rule that a declared `smoothing` stands for, its own parameters checked."""
    if isinstance(smoothing, Alpha | MEstimate):
        check_parameters(smoothing)
        return smoothing
    if smoothing is None or isinstance(smoothing, str):
        return Alpha(1.0 if smoothing == "laplace" else 0.0)
    return Alpha(float(smoothing))


def _log_shares(counts: Floats, total: Floats, *, smoothed: bool) -> Floats:
    """log(counts / total), in place; 0 for a class with nothing to count, and for an unseen level without smoothing."""
    with np.errstate(divide="ignore", invalid="ignore"):
        result: Floats = np.log(counts, out=counts)
        result -= np.log(total)
    result[(total == 0)[:, 0]] = 0.0
    if not smoothed:
        result[:, -1] = 0.0
    return result


def column_rule(smoothing: ColumnSmoothing, n_columns: int) -> SmoothingRule | ColumnAlpha:
    """The rule that a declared `smoothing` of numeric columns stands for; BadParameter when it is of other columns."""
    if not isinstance(smoothing, ColumnAlpha):
        return smoothing_rule(smoothing)
    check_parameters(smoothing)
    if len(smoothing.alpha) != n_columns:
        raise BadParameter(f"smoothing={smoothing!r} has {len(smoothing.alpha)} numbers for {n_columns} columns.")
    return smoothing
