"""What predicting a table chunk after chunk found."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer.workbench.prediction.drift import Flags


@dataclass
class Streamed:
    """What `mercer.predict_file` found.

    Attributes
    ----------
    n_rows : int
        Rows predicted.
    columns : list of str
        Columns of the lines.
    n_flagged : int
        Rows with a cell unlike any training row.
    far : Counter
        Rows whose number is far outside the training range, by column.
    unseen : Counter
        Rows with a level that no training row had, by column.
    n_scored : int
        Rows whose target is known.
    n_right : int
        Of these, the rows whose class was predicted.
    squares : float
        Sum of the squared errors, where numbers are predicted.
    unknown_classes : int
        Rows of a class that the model does not know, which are not scored.
    notes : list of str
        What could not be done, and why.

    Examples
    --------
    >>> from mercer.workbench.prediction.streamed import Streamed
    >>> Streamed(n_rows=10, n_scored=4, n_right=3).accuracy
    0.75
    """

    n_rows: int = 0
    columns: list[str] = field(default_factory=list)
    n_flagged: int = 0
    far: Counter[str] = field(default_factory=Counter)
    unseen: Counter[str] = field(default_factory=Counter)
    n_scored: int = 0
    n_right: int = 0
    squares: float = 0.0
    unknown_classes: int = 0
    notes: list[str] = field(default_factory=list)

    @property
    def accuracy(self) -> float:
        """The share of rows predicted right, of those whose class is known."""
        return self.n_right / self.n_scored

    @property
    def rmse(self) -> float:
        """Root mean squared error on the rows whose number is known."""
        return float(np.sqrt(self.squares / self.n_scored))

    def add(self, n_rows: int, columns: list[str], flags: Flags) -> None:
        """Count further lines.

        Parameters
        ----------
        n_rows : int
            How many there are.
        columns : list of str
            Their columns.
        flags : Flags
            What is strange about the rows.
        """
        self.n_rows += n_rows
        self.columns = columns
        self.n_flagged += flags.n_rows
        self.far.update(flags.far)
        self.unseen.update(flags.unseen)

    def score(self, predicted: NDArray[Any], truth: NDArray[Any], classes: Sequence[str] | None) -> None:
        """Compare predictions with the target.

        Parameters
        ----------
        predicted : ndarray of shape (n_rows,)
            The predictions.
        truth : ndarray of shape (n_rows,)
            Numbers, NaN where none is known, or places of `classes` as `class_places` has them.
        classes : sequence of str or None
            The names of the classes; None where numbers are predicted.
        """
        if classes is None:
            known = np.isfinite(truth)
            self.squares += float(((truth - predicted)[known] ** 2).sum())
        else:
            known = (truth >= 0) & (truth < len(classes))
            called = np.array([str(label) for label in predicted], dtype=object)
            self.n_right += int((np.array([*classes, ""], dtype=object)[truth] == called)[known].sum())
            self.unknown_classes += int((truth == len(classes)).sum())
        self.n_scored += int(known.sum())

    def unscored(self, why: str) -> None:
        """Take back the scores, and say why there are none.

        Parameters
        ----------
        why : str
            The reason.
        """
        self.n_scored = self.n_right = self.unknown_classes = 0
        self.squares = 0.0
        self.notes.append(f"The predictions could not be compared with the target: {why}")
