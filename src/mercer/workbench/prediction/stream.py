"""mercer.predict_file: a stored model on tables of any size, chunk after chunk, in the memory of one chunk."""

from __future__ import annotations

import io
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from mercer.atomic import write_file
from mercer.errors import BadOutput, BadTable, ColumnWarning, MercerError, MercerWarning
from mercer.scale.chunks import Chunks, as_chunks, chunk_source
from mercer.scale.engine import named_errors
from mercer.store import StoredModel, open_model
from mercer.table import Schema, Source
from mercer.table.build import build, conform
from mercer.table.kinds.missing import Markers, as_markers
from mercer.table.read import schema_options
from mercer.workbench.prediction.answers import PREDICTION, decided, model_answers, with_dates
from mercer.workbench.prediction.drift import Flags, flag_rows
from mercer.workbench.prediction.notations import Notations
from mercer.workbench.prediction.predict import kept_columns, row_lines

Progress = Callable[[str, float], None]


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

    Examples
    --------
    >>> from mercer.workbench.prediction.stream import Streamed
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

    @property
    def accuracy(self) -> float:
        """The share of rows predicted right, of those whose class is known."""
        return self.n_right / self.n_scored

    @property
    def rmse(self) -> float:
        """Root mean squared error on the rows whose number is known."""
        return float(np.sqrt(self.squares / self.n_scored))

    def add(self, frame: pl.DataFrame, flags: Flags) -> None:
        """Count further lines.

        Parameters
        ----------
        frame : polars.DataFrame
            The lines of a chunk.
        flags : Flags
            What is strange about its rows.
        """
        self.n_rows += frame.height
        self.columns = frame.columns
        self.n_flagged += flags.n_rows
        self.far.update(flags.far)
        self.unseen.update(flags.unseen)

    def score(self, cells: pl.Series, source: Source, answers: pl.DataFrame, *, classes: bool) -> None:
        """Compare predictions with the target.

        Parameters
        ----------
        cells : polars.Series
            The target as it was read.
        source : Source
            The chunk that it is of.
        answers : polars.DataFrame
            The predictions.
        classes : bool
            Whether classes are predicted.
        """
        predicted = answers[PREDICTION]
        if classes:
            truth = source.known(cells.cast(pl.String)) if cells.dtype != pl.Boolean else cells.cast(pl.String)
            known = truth.is_not_null()
            same = truth.str.to_lowercase() == predicted.cast(pl.String).str.to_lowercase()
            self.n_right += int(same.filter(known).sum())
        else:
            truth = cells.cast(pl.Float64, strict=False)
            known = truth.is_not_null() & truth.is_finite()
            self.squares += float(((truth - predicted).filter(known) ** 2).sum())
        self.n_scored += int(known.sum())


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
    found = Streamed()
    frames = predicted_chunks(stored, chunks, (keep,) if isinstance(keep, str) else tuple(keep), found, progress)
    write_file(out, _parquet(frames) if out.suffix.lower() == ".parquet" else csv_pieces(frames))
    return found


def predicted_chunks(
    stored: StoredModel, chunks: Chunks, keep: Sequence[str], found: Streamed, progress: Progress | None
) -> Iterator[pl.DataFrame]:
    """The lines of each chunk; what is found about them is counted on the way."""
    if len(stored.outputs) > 1:
        raise MercerError("A model of several targets predicts tables that fit in memory. Predict part after part.")
    if stored.card.decision is not None and stored.card.decision.top is not None:
        raise MercerError(
            "The model calls the rows of largest probability positive, which are known once all rows are: predict a "
            "table that fits in memory, or train with a threshold."
        )
    notations, said = Notations(stored.model.schema_), set[str]()
    for done, chunk in enumerate(chunks, 1):
        with named_errors(chunk), warnings.catch_warnings(record=True) as heard:
            warnings.simplefilter("always", MercerWarning)
            options = schema_options(chunks.options, notations.schema)
            source = chunk_source(chunk, chunk.read(options), chunks.missing, schema=notations.schema)
            frame = None if source is None else _lines(stored, source, keep, found, notations)
        _say_once([one.message for one in heard], said)
        if frame is not None:
            yield frame
        if progress is not None and len(chunks):
            progress("Predicting", done / len(chunks))
    if not found.n_rows:
        raise BadTable("The table has no rows: every chunk is empty.")
    notations.check()


def _say_once(heard: Sequence[Warning | str], said: set[str]) -> None:
    """Warnings of a chunk, but those that a chunk before it gave: of a column they differ in rows and cells alone."""
    for one in heard:
        about = f"column {one.column}" if isinstance(one, ColumnWarning) else str(one)
        if about not in said:
            said.add(about)
            warnings.warn(one, stacklevel=3)


def _lines(
    stored: StoredModel, source: Source, keep: Sequence[str], found: Streamed, notations: Notations
) -> pl.DataFrame:
    schema: Schema = stored.model.schema_
    kept = kept_columns(source, keep)
    target = None if stored.card.target in schema else source.columns.pop(stored.card.target, None)
    source.judged = False  # the rows learned from say nothing of strays among these
    rows = replace(build(conform(source, schema), notations.of(source)), schema=schema)
    answers = decided(model_answers(stored, rows, lambda _what, _share: None), stored, source, [])
    flags = flag_rows(rows, stored.summary, lambda name, row: source.columns[name][row])
    frame = row_lines(schema, source, kept, with_dates(answers, stored), flags)
    frame = frame.with_columns(pl.Series("row", range(found.n_rows + 1, found.n_rows + frame.height + 1)))
    found.add(frame, flags)
    if target is not None and PREDICTION in answers.columns:
        found.score(target, source, answers, classes=stored.card.task == "classification")
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
