"""mercer describe: what each column is, and why."""

from __future__ import annotations

from mercer.cli import options
from mercer.cli.console import reporting
from mercer.cli.loading import loading


def describe(
    table: options.Table = None,
    kind: options.Kinds = None,
    missing: options.Missing = None,
    separator: options.Separator = None,
    header: options.Header = None,
    sheet: options.Sheet = None,
    query: options.Query = None,
    table_name: options.TableName = None,
    as_json: options.Json = False,
    debug: options.Debug = False,
) -> None:
    """Show what each column of TABLE is, why, and how much of it is missing.

    \b
    Examples:
      mercer describe
      mercer describe customers.csv
      mercer describe customers.csv --kind zip=category --kind "size=S<M<L"
      mercer describe customers.xlsx --sheet 2024
      mercer describe shop.db --table-name orders
      mercer describe survey.tsv --missing unknown --missing age=99 --json
    """
    with reporting("describe", debug, as_json):
        with loading():
            from mercer.cli.jobs.describe import run

        kinds, markers = tuple(kind or ()), tuple(missing or ())
        run(options.Reading(table, markers, separator, header, kinds, sheet, query, table_name), as_json)
