"""A table in chunks as one table in memory, where it fits."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import polars as pl

from mercer._core.memory import physical_memory
from mercer.errors import BadColumn, BadTable
from mercer.scale.chunks import Chunks, chunk_source
from mercer.scale.engine import named_errors
from mercer.table import Source
from mercer.table.kinds.levels import number_levels

_SHARE = 8  # of the memory of the machine, what the cells as read may take: learners hold several copies of them


def whole_table(
    chunks: Chunks, progress: Callable[[float], None] | None = None, most: int | None = None
) -> Source | None:
    """The cells of all chunks as one source; None where they take more than `most` bytes, an eighth of the memory.

    Chunks are read until then, no more: the size of a file says little of the size of its cells.
    """
    room: float = physical_memory() // _SHARE if most is None else most
    parts: list[tuple[str, Source]] = []
    for done, chunk in enumerate(chunks, 1):
        with named_errors(chunk):
            source = chunk_source(chunk, chunk.read(chunks.options), chunks.missing)
        if source is not None:
            if source.sparse is not None:
                raise BadTable(f"{chunk.name}: sparse tables are not read in chunks. Name the file itself.")
            parts.append((chunk.name, source))
            room -= sum(cells.estimated_size() for cells in source.columns.values())
        if room < 0:
            return None
        if progress is not None and len(chunks):
            progress(done / len(chunks))
    if not parts:
        raise BadTable("The table has no rows: every chunk is empty.")
    return _joined(parts)


def first_names(chunks: Chunks) -> list[str]:
    """The columns of the first chunk that has rows."""
    for chunk in chunks:
        with named_errors(chunk):
            source = chunk_source(chunk, chunk.read(chunks.options), chunks.missing)
        if source is not None:
            return list(source.columns)
    raise BadTable("The table has no rows: every chunk is empty.")


def _joined(parts: list[tuple[str, Source]]) -> Source:
    where, first = parts[0]
    for name, source in parts[1:]:
        odd = sorted(first.columns.keys() ^ source.columns.keys())
        if odd:
            has, lacks = (where, name) if odd[0] in first.columns else (name, where)
            raise BadColumn(f"{lacks} has no column {odd[0]!r}, which {has} has. Give files of the same columns.")
    columns = {name: _column(name, [(where, s.columns[name]) for where, s in parts]) for name in first.columns}
    typed = frozenset.intersection(*(s.typed for _, s in parts))
    notices = list(dict.fromkeys(said for _, s in parts for said in s.notices))
    return replace(first, columns=columns, typed=typed, notices=notices, judged=False)


def _column(name: str, pieces: list[tuple[str, pl.Series]]) -> pl.Series:
    """The cells of a column, in a type that holds them all: numbers beside texts are texts."""
    known = [(where, cells) for where, cells in pieces if cells.dtype != pl.Null]
    texts = any(cells.dtype == pl.String for _, cells in known)
    plain = [_as_text(cells) if texts else cells for _, cells in pieces]
    try:
        frame: Any = pl.concat([cells.alias(name).to_frame() for cells in plain], how="vertical_relaxed")
    except pl.exceptions.PolarsError:
        other = next((where, c.dtype) for where, c in known if c.dtype != known[0][1].dtype)
        raise BadColumn(
            f"Column {name!r} holds {known[0][1].dtype} in {known[0][0]}, but {other[1]} in {other[0]}. Make the files "
            "alike, or leave one of them out."
        ) from None
    return frame.to_series()


def _as_text(cells: pl.Series) -> pl.Series:
    return number_levels(cells) if cells.dtype.is_numeric() else cells
