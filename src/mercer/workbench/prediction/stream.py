"""mercer.predict_file: a stored model on tables of any size, chunk after chunk, in the memory of one chunk."""

from __future__ import annotations

import io
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import Any

import polars as pl

from mercer.atomic import write_file
from mercer.errors import BadOutput, BadTable, ColumnWarning, MercerError, MercerWarning
from mercer.scale.chunks import as_chunks, chunk_source
from mercer.scale.engine import named_errors
from mercer.store import StoredModel, open_model
from mercer.table import Schema, Source
from mercer.table.build import build, conform
from mercer.table.kinds.missing import Markers, as_markers
from mercer.table.read import schema_options
from mercer.workbench.prediction.answers import PREDICTION, decided, model_answers, with_dates
from mercer.workbench.prediction.chunk_reading import ChunkReading
from mercer.workbench.prediction.drift import flag_rows
from mercer.workbench.prediction.notations import ReadOtherwise
from mercer.workbench.prediction.predict import kept_columns, row_lines
from mercer.workbench.prediction.streamed import Streamed

Progress = Callable[[str, float], None]


def predict_file(
    model: str | Path | StoredModel,
    data: Any,
    out: str | Path,
    *,
    keep: str | Sequence[str] = (),
    missing: Markers = (),
    separator: str | None = None,
    header: bool | None = None,
    progress: Progress | None = None,
) -> Streamed:
    """Predict every row of a table of any size into a file, in the memory of one chunk.

    The lines are those of `mercer.predict`, which also tests columns for drift and gives intervals of the scores: that
    needs all rows at once, and is left out here.

    Parameters
    ----------
    model : str, Path or StoredModel
        A `model.mercer` file.
    data : str, Path, Dask data frame, data frame, mapping, sequence, callable or Chunks
        New rows: a file, a folder, a pattern such as "data/*.parquet", or anything `mercer.scale.as_chunks` takes.
    out : str or Path
        A .csv or .parquet file; an existing one is replaced when the new one is complete.
    keep : str or sequence of str, default ()
        Columns of the table to carry along; "all" for every one. Columns that identify the rows always are.
    missing : str, sequence or mapping, default ()
        Further cells that mean "missing", beside those of the training table.
    separator : str or None, default None
        Of a text file; None finds it from the text.
    header : bool or None, default None
        Whether line 1 of a text file names the columns; None finds it from the text.
    progress : callable or None, default None
        Called as `progress(what, share)` while work goes on.

    Returns
    -------
    found : Streamed
        How many rows were predicted, flagged and, where the target is known, predicted right.

    Raises
    ------
    BadFile
        The model or a file cannot be read.
    BadColumn
        A column of the model, or of `keep`, is not in a chunk; the message names it.

    Examples
    --------
    >>> import mercer, tempfile, pathlib
    >>> model = mercer.MeanTarget().fit({"size": [1.0, 2.0]}, [10.0, 30.0])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder) / "mean.mercer"
    ...     mercer.save(model, path, target="price")
    ...     found = mercer.predict_file(path, [{"size": [5.0]}, {"size": [7.0]}], pathlib.Path(folder) / "lines.csv")
    >>> found.n_rows
    2
    """
    out, stored = Path(out), model if isinstance(model, StoredModel) else open_model(model)
    if out.suffix.lower() not in (".csv", ".parquet"):
        raise BadOutput(f"{out}: predictions are written as .csv or .parquet.")
    chunks = as_chunks(data, missing=(*stored.card.missing, *as_markers(missing)), separator=separator, header=header)
    kept = (keep,) if isinstance(keep, str) else tuple(keep)
    reading = ChunkReading(stored, chunks)
    try:
        return _written(out, reading, kept, progress)
    except ReadOtherwise:  # nothing is written yet, and how all rows are read is known now
        return _written(out, reading, kept, progress)


def _written(out: Path, reading: ChunkReading, keep: Sequence[str], progress: Progress | None) -> Streamed:
    found = Streamed()
    frames = predicted_chunks(reading, keep, found, progress)
    write_file(out, _parquet(frames) if out.suffix.lower() == ".parquet" else csv_pieces(frames))
    return found


def predicted_chunks(
    reading: ChunkReading, keep: Sequence[str], found: Streamed, progress: Progress | None
) -> Iterator[pl.DataFrame]:
    """The lines of each chunk; what is found about them is counted on the way."""
    stored, chunks = reading.stored, reading.chunks
    if len(stored.outputs) > 1:
        raise MercerError("A model of several targets predicts tables that fit in memory. Predict part after part.")
    if stored.card.decision is not None and stored.card.decision.top is not None:
        raise MercerError(
            "The model calls the rows of largest probability positive, which are known once all rows are: predict a "
            "table that fits in memory, or train with a threshold."
        )
    for done, chunk in enumerate(chunks, 1):
        with named_errors(chunk), warnings.catch_warnings(record=True) as heard:
            warnings.simplefilter("always", MercerWarning)
            schema = reading.columns.schema
            source = chunk_source(
                chunk, chunk.read(schema_options(chunks.options, schema)), chunks.missing, schema=schema
            )
            frame = None if source is None else _lines(reading, source, keep, found, done - 1)
        _say_once([one.message for one in heard], reading.said)
        if frame is not None:
            yield frame
        if progress is not None and len(chunks):
            progress("Predicting", done / len(chunks))
    if not found.n_rows:
        raise BadTable("The table has no rows: every chunk is empty.")


def _say_once(heard: Sequence[Warning | str], said: set[str]) -> None:
    """Warnings of a chunk, but those that a chunk before it gave: of a column they differ in rows and cells alone."""
    for one in heard:
        about = f"column {one.column}" if isinstance(one, ColumnWarning) else str(one)
        if about not in said:
            said.add(about)
            warnings.warn(one, stacklevel=3)


def _lines(reading: ChunkReading, source: Source, keep: Sequence[str], found: Streamed, place: int) -> pl.DataFrame:
    stored = reading.stored
    schema: Schema = stored.model.schema_
    kept = kept_columns(source, keep)
    target = None if stored.card.target in schema else source.columns.pop(stored.card.target, None)
    source.judged = False  # the rows learned from say nothing of strays among these
    rows = replace(build(conform(source, schema), reading.columns.of(source, place)), schema=schema)
    answers = decided(model_answers(stored, rows, lambda _what, _share: None), stored, source, [])
    if reading.scored and target is not None and PREDICTION in answers.columns and not found.notes:
        alone = Source({target.name: target}, markers=source.markers)
        try:
            found.score(answers[PREDICTION].to_numpy(), reading.truth(alone, place), reading.classes)
        except ReadOtherwise:  # to be answered once more
            raise
        except MercerError as error:
            found.unscored(str(error))
    flags = flag_rows(rows, stored.summary, lambda name, row: source.columns[name][row])
    frame = row_lines(schema, source, kept, with_dates(answers, stored), flags)
    frame = frame.with_columns(pl.Series("row", range(found.n_rows + 1, found.n_rows + frame.height + 1)))
    found.add(frame.height, frame.columns, flags)
    return frame


def csv_pieces(frames: Iterator[pl.DataFrame]) -> Iterator[bytes]:
    """The lines as CSV in UTF-8."""
    for place, frame in enumerate(frames):
        buffer = io.BytesIO()
        frame.write_csv(buffer, include_header=not place)
        yield buffer.getvalue()


class _Pipe(io.RawIOBase):
    """What a writer of Parquet has written since it was last asked."""

    def __init__(self) -> None:
        self.written: list[bytes] = []
        self.place = 0

    def writable(self) -> bool:
        return True

    def tell(self) -> int:
        return self.place

    def write(self, data: Any) -> int:
        self.written.append(bytes(data))
        self.place += len(self.written[-1])
        return len(self.written[-1])

    def taken(self) -> bytes:
        """All of it, once."""
        found, self.written = b"".join(self.written), []
        return found


def _parquet(frames: Iterator[pl.DataFrame]) -> Iterator[bytes]:
    """The lines as Parquet, a row group a chunk, in the types of the first."""
    try:
        parquet = import_module("pyarrow.parquet")
    except ImportError:
        raise BadOutput("Parquet of any size needs the package pyarrow: pip install pyarrow, or write .csv.") from None
    pipe, writer, types = _Pipe(), None, None
    for frame in frames:
        types = frame.schema if types is None else types
        try:
            table = frame.cast(types).to_arrow()
        except pl.exceptions.PolarsError as error:
            raise BadOutput(f"The chunks differ in the types of columns that are kept ({error}). Write .csv.") from None
        writer = parquet.ParquetWriter(pipe, table.schema) if writer is None else writer
        writer.write_table(table)
        yield pipe.taken()
    if writer is not None:
        writer.close()
        yield pipe.taken()
