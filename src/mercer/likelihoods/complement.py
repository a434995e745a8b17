"""Counts of the complement of each class: all rows that are not of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from mercer.arrays import Floats
from mercer.docstrings import shares_docs
from mercer.likelihoods.base import ColumnTable
from mercer.likelihoods.multinomial import Multinomial
from mercer.parameters import Flag, Parameters

_MOST = -float(np.log(np.finfo(np.float64).tiny))  # of a column that no other class has, without smoothing


@shares_docs()
@dataclass
class Complement(Multinomial):
    """score(x | c) = -sum_j x_j log theta_cj,  theta_cj = smoothed share of column j in the total of all classes but c.

    For counts, as Multinomial, where classes differ much in size: every theta is estimated from nearly all rows. A
    score, not a probability: what it gives should be read as an order of the classes. Reference: Rennie, Shih, Teevan
    and Karger 2003, Tackling the poor assumptions of naive Bayes text classifiers, section 3.1.

    Parameters
    ----------
    {column_smoothing}
    normalise : bool, default False
        Whether the weights of a class are divided by their sum (section 3.2), for documents of unlike length.

    Attributes
    ----------
    counts : ndarray of shape (n_classes, n_columns)
        Weighted sum of each column in each class.

    Examples
    --------
    >>> import mercer
    >>> model = mercer.NaiveBayes("complement").fit([[3, 0], [2, 1], [0, 4]], ["a", "a", "b"])
    >>> model.predict([[5, 1]])
    array(['a'], dtype='<U1')
    """

    key: ClassVar[str] = "complement"
    parameters: ClassVar[Parameters] = {**Multinomial.parameters, "normalise": Flag()}

    normalise: bool = False

    def _complement_counts(self) -> Floats:
        return np.asarray(self.counts.sum(axis=0) - self.counts)

    def _log_theta(self) -> Floats:
        """Log share of each column among the rows not of the class, (n_classes, n_columns)."""
        return self._log_shares(self._complement_counts())

    def log_weights(self) -> Floats:
        """What a count of one in each column adds to the score of each class: -log theta.

        Returns
        -------
        weights : ndarray of shape (n_classes, n_columns)
            At least 0; with `normalise` they sum to 1 in each class.
        """
        weights = np.minimum(-self._log_theta(), _MOST)
        if not self.normalise:
            return weights
        total = weights.sum(axis=1, keepdims=True)
        return np.divide(weights, total, out=np.zeros_like(weights), where=total > 0)

    def tables(self) -> list[ColumnTable]:
        return self._share_tables("share in other classes", np.exp(self._log_theta()), self._complement_counts())
