"""How well a classifier does on a table in chunks: exact scores from counts that merge."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import log_loss
from sklearn.utils.validation import check_is_fitted

from mercer.arrays import Longs
from mercer.errors import BadTarget, MercerError
from mercer.scale.chunks import as_chunks
from mercer.scale.engine import engine_of
from mercer.scale.ranks import Keys, Pieces, counted, keys_of
from mercer.scale.rows import Part, Rows, Sums


@dataclass(frozen=True)
class ChunkScores:
    """The scores of a classifier on a table in chunks.

    Attributes
    ----------
    labels : ndarray of shape (n_classes,)
        The classes in increasing order; of two, the second is the positive one.
    confusion_matrix : ndarray of shape (n_classes, n_classes)
        Rows of each class (first axis) that were predicted to be of each class (second axis).
    log_loss : float
        Mean of -log P(class of the row).
    brier : float
        Mean squared error of the probability of the positive class; of more classes, the sum over all of them.
    roc_auc : float
        Area under the ROC curve; of more than two classes, the mean of each against the rest. NaN where a class that
        is needed has no row, or all of them.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer.scale import ChunkScores
    >>> ChunkScores(np.array(["no", "yes"]), np.array([[3, 1], [0, 4]]), 0.3, 0.1, 0.9).accuracy
    0.875
    """

    labels: NDArray[Any]
    confusion_matrix: Longs
    log_loss: float
    brier: float
    roc_auc: float

    @property
    def n_rows(self) -> int:
        """Rows whose class is known."""
        return int(self.confusion_matrix.sum())

    @property
    def accuracy(self) -> float:
        """The share of rows that were predicted right."""
        return float(np.trace(self.confusion_matrix) / self.n_rows)


@dataclass(frozen=True)
class Tally:
    """Sums of the losses, and the different probabilities of each class: of its own rows, and of all others."""

    sums: Sums
    ranked: Pieces

    def merge(self, other: Tally) -> Tally:
        """Of both samples together."""
        return Tally(self.sums.merge(other.sums), self.ranked.merge(other.ranked))


@dataclass(frozen=True)
class TallyRows:
    """The predictions of a model for a chunk, compared with its target."""

    model: Any
    labels: NDArray[Any]

    def __call__(self, part: Part) -> Tally:
        proba, y, k = self.model.predict_proba(part.table), part.target, len(self.labels)
        called = np.searchsorted(self.labels, self.model.predict(part.table))
        confusion = np.bincount(y * k + called, minlength=k * k).reshape(k, k)
        loss = float(log_loss(y, proba, labels=np.arange(k), normalize=False)) if k > 1 else 0.0  # p = 1, log p = 0
        squares = float(np.square(proba - np.eye(k)[y]).sum()) / (2 if k == 2 else 1)
        ranked = [proba[chosen, c] for c in _ranked_classes(k) for chosen in (y == c, y != c)]
        return Tally(Sums((confusion, loss, squares)), Pieces(tuple(counted(keys_of(p)) for p in ranked)))


def score(
    model: Any,
    data: Any,
    target: str,
    *,
    client: Any = None,
    progress: Callable[[str, float], None] | None = None,
) -> ChunkScores:
    """Score a fitted classifier on rows that come in chunks: the scores of all rows at once.

    One pass. Besides a chunk, a process holds the different probabilities that were met with their counts, from which
    the area under the ROC curve is computed exactly: 16 bytes each. Rows whose target is missing are left out.

    Parameters
    ----------
    model : estimator
        A fitted classifier of mercer that has `predict_proba`.
    data : str, Path, Dask data frame, data frame, mapping, sequence, callable or Chunks
        The rows, with the target among the columns: what `as_chunks` takes.
    target : str
        The name of the column with the true classes.
    client : distributed.Client or None, default None
        A Dask cluster that does the work; None for this process, unless `on` names a cluster.
    progress : callable or None, default None
        Called as `progress(what, share)` while work goes on.

    Returns
    -------
    scores : ChunkScores
        Confusion matrix, log loss, Brier score, area under the ROC curve.

    Raises
    ------
    MercerError
        The model gives no probabilities of classes.
    BadFile
        A file cannot be read, or has a class that the model does not know; the message names it.
    BadColumn
        A chunk lacks the target, or a column of the model.
    BadTarget
        Every cell of the target is missing.

    Examples
    --------
    >>> import mercer
    >>> today = {"wind": ["weak", "strong"], "play": ["yes", "no"]}
    >>> model = mercer.scale.fit(mercer.NaiveBayes(), [today, today], "play")
    >>> mercer.scale.score(model, [today, today, today], "play").confusion_matrix
    array([[3, 0],
           [0, 3]])
    """
    check_is_fitted(model)
    if not (hasattr(model, "predict_proba") and hasattr(model, "schema_")):
        raise MercerError(f"{type(model).__name__} gives no probabilities of classes. Score a classifier of mercer.")
    labels, engine = np.array(model.classes_.tolist()), engine_of(client)
    told = None if progress is None else lambda share: progress("Scoring", share)
    nobody = np.empty(0, dtype=np.int64)
    rows = Rows(as_chunks(data), engine, model.schema_, target, labels, nobody, progress=told)
    try:
        found: Tally | None = rows.merge(TallyRows(model, labels))
    finally:
        engine.forget()
    if found is None:
        raise BadTarget(f"No row has a {target!r} to compare with. Name another column as the target.")
    confusion, loss, squares = found.sums.values
    n, pieces = confusion.sum(), found.ranked.found
    areas = [area(own, rest) for own, rest in zip(pieces[::2], pieces[1::2], strict=True)]
    known = [a for a in areas if not np.isnan(a)]
    roc_auc = float(np.mean(known)) if known else np.nan
    return ChunkScores(labels, confusion, float(loss / n), float(squares / n), roc_auc)


def area(own: tuple[Keys, Longs], rest: tuple[Keys, Longs]) -> float:
    """Of all pairs of a row of its own and one of the rest, the share that is ranked right; ties count half."""
    pairs = int(own[1].sum()) * int(rest[1].sum())
    if not pairs:
        return np.nan
    up_to = np.append(0, np.cumsum(rest[1]))
    below, not_above = (up_to[np.searchsorted(rest[0], own[0], side=side)] for side in ("left", "right"))
    return int(own[1] @ (below + not_above)) / (2 * pairs)


def _ranked_classes(n_classes: int) -> range:
    return range(1, 2) if n_classes == 2 else range(n_classes)
