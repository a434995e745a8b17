"""A table in chunks: each has a name, by which errors speak of it, and can be read again and again."""

from __future__ import annotations

import glob
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Protocol

from mercer.errors import BadFile, BadTable
from mercer.scale.files import CUT, PARQUET, FilePart, file_parts
from mercer.table import Source, open_source
from mercer.table.formats.binary.database import is_address, stream_address, without_password
from mercer.table.formats.dialect import Options
from mercer.table.formats.frames import collected, is_frame
from mercer.table.kinds.missing import Markers, as_markers

CELLS = 1 << 23  # of a chunk: 64 MB of numbers
LARGE = 1 << 28  # bytes of a file that is read in chunks where that is left open
_MAGIC = "*?["


class Chunk(Protocol):
    """Some rows of a table."""

    @property
    def name(self) -> str:
        """What errors call it."""

    def read(self, options: Options) -> Any:
        """The rows as a Source, or as a data frame or mapping."""


@dataclass(frozen=True)
class FrameChunk:
    """Rows that are in memory."""

    name: str
    frame: Any

    def read(self, options: Options) -> Any:
        """The data frame."""
        return self.frame


@dataclass(frozen=True)
class Partition:
    """A partition of a Dask collection, computed whenever it is read."""

    name: str
    delayed: Any

    def read(self, options: Options) -> Any:
        """The data frame, computed in this process."""
        return self.delayed.compute(scheduler="synchronous")


@dataclass(frozen=True)
class Fragment:
    """A file, or a row group of one, of a pyarrow dataset."""

    name: str
    fragment: Any
    schema: Any

    def read(self, options: Options) -> Any:
        """The rows as a pyarrow table; as of every file, kinds of numbers are inferred."""
        return replace(open_source(self.fragment.to_table(schema=self.schema)), typed=frozenset())


class Chunks:
    """The chunks of one table, in the order of its rows.

    Parameters
    ----------
    stream : callable
        Gives the chunks anew whenever it is called.
    missing : str, sequence or mapping, default ()
        Further cells that mean "missing", beside empty, NA, NaN, None, null, ?, #N/A and #DIV/0!; "income=99" is one of
        a column alone.
    options : Options, default Options()
        How delimited text is written.
    parts : sequence of Chunk or None, default None
        The chunks, where each can be read by itself, in any process; None for a stream.

    Examples
    --------
    >>> import mercer
    >>> chunks = mercer.scale.as_chunks([{"age": [31, 45]}, {"age": [58]}])
    >>> [chunk.name for chunk in chunks]
    ['chunk 1', 'chunk 2']
    """

    def __init__(
        self,
        stream: Callable[[], Iterable[Chunk]],
        missing: Markers = (),
        options: Options = Options(),  # noqa: B008
        parts: Sequence[Chunk] | None = None,
    ) -> None:
        self._stream = stream
        self.missing = as_markers(missing)
        self.options = options
        self.parts = parts

    def __iter__(self) -> Iterator[Chunk]:
        return iter(self._stream())

    def __len__(self) -> int:
        """How many chunks there are; 0 where that is not known."""
        return 0 if self.parts is None else len(self.parts)


def as_chunks(
    data: Any,
    *,
    missing: Markers = (),
    separator: str | None = None,
    header: bool | None = None,
    cells: int = CELLS,
    query: str | None = None,
    table_name: str | None = None,
) -> Chunks:
    """Anything that holds rows, as chunks.

    Parameters
    ----------
    data : str, Path, Dask data frame, data frame, mapping, sequence, callable or Chunks
        A file, a folder or a pattern such as "data/*.parquet"; the address of a database ("postgresql://user@host/name",
        "sqlite:///shop.db"), whose rows are streamed; a Dask data frame, whose partitions are the chunks; a pyarrow
        dataset; one data frame, or a list of files or of data frames, one for each chunk; or a function
        without arguments that gives an iterator over data frames, anew whenever it is called.
    missing : str, sequence or mapping, default ()
        Further cells that mean "missing", beside empty, NA, NaN, None, null, ?, #N/A and #DIV/0!; "income=99" is one of
        a column alone.
    separator : str or None, default None
        Of text files; None finds it from the text.
    header : bool or None, default None
        Whether line 1 of a text file names the columns; None finds it from the text.
    cells : int, default 8388608
        About how many cells a chunk of a Parquet or CSV file has; of a database, a hundredth as many rows.
    query : str or None, default None
        What to read from a database: a query that only reads, such as "select * from customers".
    table_name : str or None, default None
        Which table of a database, in place of a query; None if it has but one.

    Returns
    -------
    chunks : Chunks
        The chunks, in the order of the rows.

    Raises
    ------
    BadFile
        There is no such file, or it cannot be read.
    BadTable
        There is nothing in `data` that can be read in chunks.

    Examples
    --------
    >>> import mercer
    >>> len(mercer.scale.as_chunks({"age": [31, 45]}))
    1
    """
    options = Options(separator, header, query=query, table_name=table_name)
    if isinstance(data, Chunks):
        return data
    if is_address(data):
        return Chunks(lambda: _streamed(data, options, max(1, cells // 100)), missing, options)
    if isinstance(data, str | Path):
        data = _files(data)
    if callable(data) and not is_frame(data):
        return Chunks(lambda: _numbered(data()), missing, options)
    parts: list[Chunk]
    if hasattr(data, "to_delayed"):
        delayed = data.to_delayed()
        parts = [Partition(f"partition {k} of {len(delayed)}", d) for k, d in enumerate(delayed, 1)]
    elif hasattr(data, "get_fragments"):
        parts = [part for fragment in data.get_fragments() for part in _row_groups(fragment, data.schema)]
    elif is_frame(data) or hasattr(data, "keys") or isinstance(data, Source):
        parts = [FrameChunk("the table", collected(data))]
    elif isinstance(data, Sequence):
        parts = [part for item, name in _named(data) for part in _chunks_of(item, name, options, cells)]
    else:
        raise BadTable(
            f"A {type(data).__name__} cannot be read in chunks. Give files, a Dask data frame, a list of data frames, "
            "or a function that gives an iterator over them."
        )
    if not parts:
        raise BadTable("There is no chunk to read.")
    return Chunks(lambda: parts, missing, options, parts)


def is_large(data: Any) -> bool:
    """Whether a source is better read in chunks: a pattern, a folder, or a large file of a kind that can be cut."""
    if not isinstance(data, str | Path) or is_address(data):
        return False
    path = Path(data)
    if os.path.isfile(path):  # which says no of a text that is no path, where Path raises
        return path.suffix.lower() in CUT and path.stat().st_size > LARGE
    return os.path.isdir(path) or any(sign in str(data) for sign in _MAGIC)


def reads_alike(chunk: Chunk) -> bool:
    """Whether a chunk is read the same whatever is known of its columns: not so of delimited text."""
    return not isinstance(chunk, FilePart) or chunk.path.suffix.lower() in PARQUET


def keeps_labels(chunk: Chunk) -> bool:
    """Whether the texts of a target are classes as they are, as in `fit(X, y)`: not so of what mercer reads itself."""
    return isinstance(chunk, Partition) or (isinstance(chunk, FrameChunk) and not isinstance(chunk.frame, Source))


def chunk_source(chunk: Chunk, loaded: Any, missing: Sequence[str], **schema: Any) -> Source | None:
    """The cells of a chunk that was read; None if it has no rows."""
    if isinstance(loaded, Source):
        if loaded.n_rows == 0:
            return None
        return open_source(replace(loaded, judged=True, columns=dict(loaded.columns)), missing=missing, **schema)
    if is_frame(loaded) and not len(loaded):
        return None
    source = open_source(loaded, missing=missing, **schema)
    source.judged = True
    return source


def _files(data: str | Path) -> list[Path]:
    path = Path(data)
    if path.is_dir():
        found = sorted(p for p in path.rglob("*") if p.is_file() and not p.name.startswith((".", "_")))
    elif any(sign in str(data) for sign in _MAGIC) and not path.exists():
        found = sorted(Path(p) for p in glob.glob(str(data), recursive=True) if Path(p).is_file())
    else:
        return [path]
    if not found:
        raise BadFile(f"No file is at {data}. Put a pattern in quotes, and compare the folder's name.")
    return found


def _named(data: Sequence[Any]) -> Iterator[tuple[Any, str]]:
    return ((item, f"chunk {k}") for k, item in enumerate(data, 1))


def _numbered(frames: Iterable[Any]) -> Iterator[Chunk]:
    return (FrameChunk(f"chunk {k}", collected(frame)) for k, frame in enumerate(frames, 1))


def _streamed(address: str, options: Options, n_rows: int) -> Iterator[Chunk]:
    """The rows of a database, of which it is asked anew in each pass."""
    where, start = without_password(address), 0
    for source in stream_address(address, options, n_rows):
        yield FrameChunk(f"{where}, rows {start + 1:,} to {start + source.n_rows:,}", source)
        start += source.n_rows


def _row_groups(fragment: Any, schema: Any) -> list[Chunk]:
    pieces = fragment.split_by_row_group() if hasattr(fragment, "split_by_row_group") else [fragment]
    if len(pieces) < 2:
        return [Fragment(str(fragment.path), fragment, schema)]
    return [Fragment(f"{fragment.path}, row group {k}", piece, schema) for k, piece in enumerate(pieces, 1)]


def _chunks_of(item: Any, name: str, options: Options, cells: int) -> Sequence[Chunk]:
    if isinstance(item, str | Path):
        found: list[FilePart] = [part for path in _files(item) for part in file_parts(path, options, cells)]
        return found
    return [FrameChunk(name, collected(item))]
