"""The notations of new rows that come in chunks: those of all rows, as of a table in memory."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from mercer.errors import BadColumn
from mercer.scale.chunks import Chunks, chunk_source
from mercer.scale.engine import named_errors
from mercer.table import Schema, Source
from mercer.table.kinds.rewritten import (
    in_notations,
    notation_here,
    notations_of,
    read_differently,
    tell_rewritten,
    tell_unsigned,
    texts_among,
    words,
)
from mercer.table.kinds.strays import few_strays, strays_of, unread, without_strays
from mercer.table.profile.column import ColumnProfile
from mercer.table.read import schema_options


class ReadOtherwise(BadColumn):
    """Rows that were answered before are read otherwise now that all rows were looked at."""


class Notations:
    """How chunks are read: as learned, until cells of one are written otherwise; then all rows are looked at.

    Parameters
    ----------
    learned : Schema
        Of the columns to read.
    chunks : Chunks
        All rows.
    model : Schema or None, default None
        That of the model, where it is another.

    Attributes
    ----------
    schema : Schema
        In the notations of the new rows, as far as these are known.
    """

    def __init__(self, learned: Schema, chunks: Chunks, model: Schema | None = None) -> None:
        self.schema = self._learned = learned
        self._model = learned if model is None else model
        self._chunks = chunks
        self._before = notations_of(learned)
        self._here: dict[str, str] = {}
        self._settled: set[str] = set()
        self._few: set[str] = set()  # columns with cells that are no numbers, which are few among all rows

    def of(self, source: Source, place: int) -> Schema:
        """The schema by which a chunk is read; a warning tells each column that is written otherwise.

        Parameters
        ----------
        source : Source
            Its cells.
        place : int
            How many chunks come before it.

        Returns
        -------
        schema : Schema
            In the notations of all rows.

        Raises
        ------
        ReadOtherwise
            Rows of chunks before are to be read anew: the same chunks can be read again from the first.
        BadColumn
            A column is written in several notations.
        """
        texts = texts_among(source, self._before)
        doubtful = [name for name in texts if name not in self._settled and self._is_doubtful(source, name)]
        if doubtful:
            self._settle(source, doubtful, place)
        for name, before in self._before.items():
            here = self._here.get(name, before)
            if name in texts and here != before and len(source.distinct(name).known):
                tell_rewritten(name, source.distinct(name), before, here)
            elif name in source.columns:
                tell_unsigned(source, name, before)
            if name in texts and name in self._few:
                without_strays(source, name, here)
        return self.schema

    def _is_doubtful(self, source: Source, name: str) -> bool:
        """Whether cells are no numbers as learned, which may be mistakes, or all in another notation."""
        found, before = source.distinct(name), self._before[name]
        unfit = ~np.isfinite(found.numbers(before)) & ~found.missing
        return bool(unfit.any()) or notation_here(found, before) != before

    def _settle(self, source: Source, names: Sequence[str], place: int) -> None:
        whole, first = self._profiles(names, place)
        changed = ""
        for name in names:
            before, found = self._before[name], whole[name].texts()
            here = notation_here(found, before)
            strays = strays_of(found, here)
            alone = notation_here(source.distinct(name), before)
            if here == before != alone and strays.any() and not few_strays(found, strays):
                other = found.cells.to_numpy()[unread(found, alone)]
                raise BadColumn(
                    f"Column {name!r} is not written in one notation: these rows are {words(alone)}, but others hold "
                    f"cells such as {(other if len(other) else found.known)[0]!r}. Write the column as {words(before)}."
                )
            self._settled.add(name)
            if few_strays(found, strays):
                self._few.add(name)
            if here == before:
                continue
            self._here[name] = here
            if name in first and (cell := read_differently(first[name].texts().cells, before, here)):
                changed = (
                    f"Column {name!r}: {cell!r} was read as {words(before)} in rows before these, but all rows "
                    f"together are {words(here)}. Write the column as {words(before)}, or predict into a file."
                )
        self.schema = in_notations(self._learned, self._here)
        if changed:
            raise ReadOtherwise(changed)

    def _profiles(self, names: Sequence[str], place: int) -> tuple[dict[str, ColumnProfile], dict[str, ColumnProfile]]:
        """The texts of these columns over all chunks, and over those before a place."""
        options = schema_options(self._chunks.options, self._model)
        options = replace(options, numbers=options.numbers - set(names))
        whole: dict[str, ColumnProfile] = {}
        first: dict[str, ColumnProfile] = {}
        for k, chunk in enumerate(self._chunks):
            first = dict(whole) if k == place else first
            with named_errors(chunk), warnings.catch_warnings():
                warnings.simplefilter("ignore")  # they are given when the chunk is answered
                source = chunk_source(chunk, chunk.read(options), self._chunks.missing, schema=self._model)
            if source is None:
                continue
            for name in texts_among(source, names):
                profile = ColumnProfile.of(source, name, chunk.name)
                whole[name] = whole[name].merge(profile) if name in whole else profile
        return whole, first
