"""Options that several verbs share."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, TypeAlias

import typer

_KIND_HELP = (
    "What a column is: numeric, binary, category, ordinal, text or skip; or its levels in order, "
    "as in size=low<medium<high. Repeatable."
)
_TABLE_HELP = (
    "CSV, TSV, JSON, ARFF or libsvm file (also .gz, .zip, .bz2, .xz), Excel workbook, Parquet, Arrow or SQLite file, "
    "or the address of a database (postgresql://...); without it, the embedded table of penguins."
)
_MODEL_HELP = "A model.mercer that `mercer train` wrote, or its folder."
_MISSING_HELP = (
    "A further cell that means missing, beside empty, NA, NaN, None, null and ?: unknown or -9 in every column, "
    "income=99 in one. Repeatable."
)
_SEPARATOR_HELP = "Between the cells of a text file (also: tab). Detected when not given."
_HEADER_HELP = "Whether line 1 names the columns. Detected when not given."
_SHEET_HELP = "Which sheet of a workbook: its name, or its number from 1. The first with a table when not given."
_QUERY_HELP = "What to read from a database: a query that only reads."
_TABLE_NAME_HELP = "Which table of a database. Not needed if there is but one."
_KNOWN_TARGET_HELP = "The column to compare with; the one that the model was trained to predict when not given."
_RESULT_HELP = "Also write the result: all of it to a file that ends in .json, tables to one that ends in .html."
_POSITIVE_HELP = "Which of two classes is the positive one; the rarer when not given."
_GROUP_HELP = "Rows with the same value are not independent: intervals count groups. Copies of a row are found anyway."
_WEIGHT_HELP = "A column with the weight of each row in the scores."
_LEVEL_HELP = "Confidence level of the intervals."

# A path stays a text: Path would make one slash of the two in the address of a database.
Table: TypeAlias = Annotated[str | None, typer.Argument(metavar="TABLE", help=_TABLE_HELP, show_default=False)]
Model: TypeAlias = Annotated[Path, typer.Argument(metavar="MODEL", help=_MODEL_HELP)]
Kinds: TypeAlias = Annotated[
    list[str] | None,
    typer.Option("--kind", metavar="COLUMN=KIND", help=_KIND_HELP, show_default=False),
]
Missing: TypeAlias = Annotated[
    list[str] | None,
    typer.Option("--missing", metavar="[COLUMN=]CELL", help=_MISSING_HELP, show_default=False),
]
Separator: TypeAlias = Annotated[str | None, typer.Option(metavar="CHARACTER", help=_SEPARATOR_HELP)]
Header: TypeAlias = Annotated[bool | None, typer.Option("--header/--no-header", help=_HEADER_HELP)]
Sheet: TypeAlias = Annotated[str | None, typer.Option(metavar="NAME", help=_SHEET_HELP, show_default=False)]
Query: TypeAlias = Annotated[str | None, typer.Option(metavar="SQL", help=_QUERY_HELP, show_default=False)]
TableName: TypeAlias = Annotated[str | None, typer.Option(metavar="NAME", help=_TABLE_NAME_HELP, show_default=False)]
KnownTarget: TypeAlias = Annotated[
    str | None,
    typer.Option("--target", "-t", metavar="COLUMN", help=_KNOWN_TARGET_HELP, show_default=False),
]
Positive: TypeAlias = Annotated[str | None, typer.Option(metavar="CLASS", help=_POSITIVE_HELP, show_default=False)]
Group: TypeAlias = Annotated[str | None, typer.Option(metavar="COLUMN", help=_GROUP_HELP, show_default=False)]
Weight: TypeAlias = Annotated[str | None, typer.Option(metavar="COLUMN", help=_WEIGHT_HELP, show_default=False)]
Level: TypeAlias = Annotated[float, typer.Option(min=0.5, max=0.999, help=_LEVEL_HELP)]
ResultFile: TypeAlias = Annotated[
    Path | None,
    typer.Option("--out", "-o", metavar="FILE", help=_RESULT_HELP, show_default=False),
]
Force: TypeAlias = Annotated[bool, typer.Option("--force", help="Replace files that are there already.")]
Json: TypeAlias = Annotated[bool, typer.Option("--json", help="Print the result, or the error, as JSON.")]
Debug: TypeAlias = Annotated[bool, typer.Option("--debug", help="Show the traceback of an unexpected error.")]


@dataclass(frozen=True)
class Reading:
    """Which table, and how it is to be read."""

    table: str | Path | None
    missing: tuple[str, ...]
    separator: str | None
    header: bool | None
    kinds: tuple[str, ...] = ()
    sheet: str | None = None
    query: str | None = None
    table_name: str | None = None


@dataclass(frozen=True)
class Scoring:
    """Columns of the target, of groups and of weights, the positive class, and the confidence level of intervals."""

    target: str | None
    positive: str | None
    group: str | None
    weight: str | None
    level: float


@dataclass(frozen=True)
class Output:
    """Where a run is written, whether over other files, and how it is shown."""

    folder: Path
    force: bool = False
    as_json: bool = False
