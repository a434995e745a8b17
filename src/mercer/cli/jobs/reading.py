"""A table as the options say it is to be read."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from mercer.cli.jobs.progress import progress_bar
from mercer.cli.options import Reading
from mercer.data import PENGUINS
from mercer.errors import MercerError
from mercer.table import KindSpec, Schema, Source, open_source
from mercer.table.kinds.missing import column_of, expect_columns

_SEPARATORS = {"tab": "\t", "\\t": "\t", "comma": ",", "semicolon": ";", "space": " ", "pipe": "|"}


def read(reading: Reading, markers: Sequence[str] = (), schema: Schema | None = None) -> Source:
    """The cells of the file, or of the embedded table; `markers` are further cells that mean missing.

    A `schema` is that of the model which the rows are for.
    """
    separator = separator_of(reading)
    with progress_bar("Reading the table"):
        source = open_source(
            reading.table or PENGUINS,
            missing=(*markers, *reading.missing),
            separator=separator,
            header=reading.header,
            sheet=reading.sheet,
            query=reading.query,
            table_name=reading.table_name,
            schema=schema,
        )
    expect_columns(source, reading.missing)
    return source


def separator_of(reading: Reading) -> str | None:
    """The character that --separator names."""
    separator = reading.separator
    if separator is not None:
        separator = _SEPARATORS.get(separator.lower(), separator)
        if len(separator.encode()) != 1:
            raise MercerError(f"--separator {separator!r} is not one character. Use for example ';' or tab.")
    return separator


def read_kinds(texts: Sequence[str], columns: Collection[str]) -> Mapping[str, KindSpec]:
    """--kind options as `kinds`: 'age=numeric', or 'size=low<medium<high'. A name may itself hold '='."""
    kinds: dict[str, KindSpec] = {}
    for text in texts:
        name = column_of(text, columns) or text.partition("=")[0]
        kind = text[len(name) + 1 :].strip()
        if not name.strip() or not kind:
            raise MercerError(f"--kind {text!r}: write COLUMN=KIND, for example --kind zip=category.")
        kinds[name] = _levels(text, kind) if "<" in kind else kind.lower()
    return kinds


def _levels(text: str, order: str) -> list[str]:
    levels = [level.strip() for level in order.split("<")]
    if not all(levels) or len(set(levels)) < len(levels):
        raise MercerError(f"--kind {text!r}: levels must differ and none may be empty, as in low<medium<high.")
    return levels
