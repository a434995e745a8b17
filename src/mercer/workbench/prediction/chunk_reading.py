"""Chunks of new rows as a model asks for them, and their target as it was learned."""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray

from mercer.scale.chunks import Chunks
from mercer.store import StoredModel
from mercer.table import Column, Kind, Schema, Source
from mercer.table.build import build
from mercer.workbench.prediction.notations import Notations
from mercer.workbench.prediction.truth import class_places


class ChunkReading:
    """Chunks as a model asks for them.

    Parameters
    ----------
    stored : StoredModel
        The model.
    chunks : Chunks
        New rows.
    scored : bool, default True
        Whether predictions are compared with the target, where the rows have it.

    Attributes
    ----------
    said : set of str
        Which warnings were given.
    """

    def __init__(self, stored: StoredModel, chunks: Chunks, *, scored: bool = True) -> None:
        self.stored, self.chunks, self.scored = stored, chunks, scored
        self.said: set[str] = set()
        schema: Schema = stored.model.schema_
        self.columns = Notations(schema, chunks)
        target = Column(stored.card.target, Kind.NUMERIC, format=stored.card.notation or "")
        self.target = Notations(Schema((target,)), chunks, schema)

    def truth(self, source: Source, place: int) -> NDArray[Any]:
        """The target of a chunk as numbers or places of classes.

        Parameters
        ----------
        source : Source
            The target alone.
        place : int
            How many chunks come before.

        Returns
        -------
        truth : ndarray of shape (n_rows,)
            As `Streamed.score` takes it.
        """
        name = self.stored.card.target
        if self.classes is not None:
            return class_places(self.classes, source, name)
        return build(source, self.target.of(source, place)).numbers()[:, 0]

    @property
    def classes(self) -> tuple[str, ...] | None:
        """The names of the classes; None where numbers are predicted."""
        found = self.stored
        return tuple(map(str, found.model.classes_)) if found.card.task == "classification" else None
