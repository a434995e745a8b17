"""Databases, read only: SQLite files through the standard library, every other address through SQLAlchemy."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from importlib import import_module
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote

from mercer.errors import BadFile, did_you_mean
from mercer.table.formats.dialect import Options
from mercer.table.formats.frames import python_cells
from mercer.table.formats.source import Source, unique_names

SQLITE = b"SQLite format 3\0"
_ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9_]*(\+[A-Za-z0-9_]+)?://")
_FILE = "sqlite:///"
_PASSWORD = re.compile(r"(://[^/?#:@\s]*):[^/?#\s]*@")
_SECRET = re.compile(r"([?&](?:password|passwd|pwd|token|secret)=)[^&\s]*", re.IGNORECASE)
_READS = re.compile(r"(\s|\(|--[^\n]*\n|/\*.*?\*/)*(select|with|values|table|from|show)\b", re.IGNORECASE | re.DOTALL)
_HOW = 'Add --query "select ..." or --table-name NAME (query=, table_name= in Python).'
_ALLOWED = (sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_FUNCTION, sqlite3.SQLITE_RECURSIVE)
_TABLES = (
    "SELECT name, type FROM sqlite_master WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'"
)
_PATIENCE = 5.0  # seconds that a locked file is waited for
_CHUNK = 10_000  # rows asked for at a time
_READ_ONLY = {  # how a session of each database is told not to write, and to give rows in the same order again
    "sqlite": ("PRAGMA query_only = ON",),
    "postgresql": ("SET TRANSACTION READ ONLY", "SET LOCAL synchronize_seqscans = off"),
    "mysql": ("SET SESSION TRANSACTION READ ONLY",),
    "mariadb": ("SET SESSION TRANSACTION READ ONLY",),
}


def is_address(source: object) -> bool:
    """Whether a source is the address of a database, such as postgresql://user@host/name."""
    return isinstance(source, str) and _ADDRESS.match(source) is not None


def without_password(address: str) -> str:
    """The address as it may be shown and stored."""
    return _SECRET.sub(r"\1***", _PASSWORD.sub(r"\1:***@", address))


def read_sqlite(path: Path, options: Options) -> Source:
    """The rows of a query, or of a table, of an SQLite file."""
    with _sqlite_rows(path, options) as (names, rows):
        return _source(names, _fetched(rows, str(path)), str(path))


def read_address(address: str, options: Options) -> Source:
    """The rows of a query, or of a table, of the database at an address of SQLAlchemy."""
    if address.lower().startswith(_FILE):
        return read_sqlite(_file_of(address), options)
    with _address_rows(address, options) as (names, rows, shown, secrets):
        return _source(names, _fetched(rows, shown, secrets), shown)


def stream_address(address: str, options: Options, n_rows: int) -> Iterator[Source]:
    """The same in parts of so many rows, of which one is in memory at a time."""
    if address.lower().startswith(_FILE):
        path = _file_of(address)
        with _sqlite_rows(path, options) as (names, rows):
            for part in _parts(rows, n_rows, str(path)):
                yield _source(names, part, str(path))
        return
    with _address_rows(address, options, n_rows) as (names, rows, shown, secrets):
        for part in _parts(rows, n_rows, shown, secrets):
            yield _source(names, part, shown)


def _file_of(address: str) -> Path:
    return Path(unquote(address[len(_FILE) :].partition("?")[0]))


@contextmanager
def _sqlite_rows(path: Path, options: Options) -> Iterator[tuple[list[str], Any]]:
    """The names of the columns, and a cursor over the rows."""
    if not path.is_file():
        raise BadFile(f"There is no file {path}.")
    where = f"file:{quote(str(path.resolve()))}?mode=ro"
    known: list[str] = []
    try:
        with closing(sqlite3.connect(where, uri=True, timeout=_PATIENCE)) as connection:
            connection.text_factory = lambda text: text.decode("utf-8", errors="replace")
            for setting in ("query_only = ON", "trusted_schema = OFF"):
                connection.execute(f"PRAGMA {setting}")
            found = connection.execute(_TABLES).fetchall()
            tables = [name for name, kind in found if kind == "table"]
            views = [name for name, kind in found if kind == "view"]
            known = [*tables, *views]
            connection.set_authorizer(
                lambda action, *_: sqlite3.SQLITE_OK if action in _ALLOWED else sqlite3.SQLITE_DENY
            )
            name = _table(options, tables, views, str(path))
            quoted = "" if name is None else name.replace('"', '""')
            rows = connection.execute(_query(options, str(path)) if name is None else f'SELECT * FROM "{quoted}"')
            if rows.description is None:
                raise BadFile(f"{path}: the query gives no rows. It must be one that reads: select ...")
            yield [column[0] for column in rows.description], rows
    except (sqlite3.Error, sqlite3.Warning, UnicodeError, OverflowError) as error:
        raise _refusal(error, str(path), known) from None


@contextmanager
def _address_rows(
    address: str, options: Options, buffer: int | None = None
) -> Iterator[tuple[list[str], Any, str, list[str]]]:
    """Names of columns, a cursor over the rows, the address as it may be shown, and what it must not show.

    buffer : rows that the driver holds at a time; None for all
    """
    shown = without_password(address)
    try:
        sql = import_module("sqlalchemy")
    except ImportError:
        raise BadFile(f"{shown} needs the package SQLAlchemy: pip install mercer[sql].") from None
    names: list[str] = []
    secrets = _secrets(sql, address)
    try:
        engine = sql.create_engine(address, poolclass=sql.pool.NullPool)  # a link that is not used again is closed
        with engine.connect() as connection:
            for setting in _READ_ONLY.get(engine.dialect.name, ()):
                connection.exec_driver_sql(setting)
            inspector = sql.inspect(connection)
            tables, views = inspector.get_table_names(), inspector.get_view_names()
            names = [*tables, *views]
            name = _table(options, tables, views, shown)
            if buffer is not None:
                connection = connection.execution_options(stream_results=True, max_row_buffer=buffer)  # noqa: PLW2901
            if name is None:  # % is then a sign like any other
                plain = {"no_parameters": True}
                rows = connection.exec_driver_sql(_query(options, shown), execution_options=plain)
            else:
                rows = _all_rows(sql, connection, name)
            if not rows.returns_rows:
                raise BadFile(f"{shown}: the query gives no rows. It must be one that reads: select ...")
            try:
                yield list(rows.keys()), rows, shown, secrets
            finally:
                with suppress(Exception):  # of a server that is gone
                    rows.cursor.close()
            connection.rollback()  # nothing that a query did is kept
    except ImportError as error:
        raise BadFile(f"{shown} needs a driver that is not installed: {error}. Install it with pip.") from None
    except BadFile:
        raise
    except Exception as error:  # drivers raise what they like: OSError, EOFError, errors of their own
        raise _refusal(getattr(error, "orig", None) or error, shown, names, secrets) from None


def _fetched(rows: Any, where: str, secrets: Sequence[str] = ()) -> list[Sequence[Any]]:
    """Every row."""
    return [row for part in _parts(rows, _CHUNK, where, secrets) for row in part]


def _parts(rows: Any, n_rows: int, where: str, secrets: Sequence[str] = ()) -> Iterator[Sequence[Sequence[Any]]]:
    """So many rows at a time; a database that fails before the last is told from one that cannot be read at all."""
    done = 0
    try:
        while part := rows.fetchmany(n_rows):
            done += len(part)
            yield part
    except Exception as error:
        if not done:
            raise
        lost = getattr(error, "connection_invalidated", True)  # as SQLAlchemy says; drivers alone do not
        text = _said(getattr(error, "orig", None) or error, secrets)
        what, instead = ("went away", "read it again") if lost else ("gave an error", "correct the query")
        raise BadFile(
            f"{where} {what} while it was read, after {done:,} rows: {text}. Nothing is kept of them: {instead}, or "
            "export the table to a file first."
        ) from None


def _all_rows(sql: Any, connection: Any, name: str) -> Any:
    schema, _, bare = name.rpartition(".") if name not in sql.inspect(connection).get_table_names() else ("", "", name)
    table = sql.table(bare, schema=schema or None)
    return connection.execute(sql.select(sql.text("*")).select_from(table))


def _secrets(sql: Any, address: str) -> list[str]:
    try:
        password = sql.make_url(address).password
    except (sql.exc.SQLAlchemyError, ValueError):
        return []
    return [password] if password else []


def _query(options: Options, where: str) -> str:
    assert options.query is not None
    if _READS.match(options.query) is None:
        raise BadFile(
            f"{where}: the query starts with {options.query.strip()[:30]!r}. It must be one that reads: select ..."
        )
    return options.query


def _table(options: Options, tables: Sequence[str], views: Sequence[str], where: str) -> str | None:
    """The table to read; None for a query."""
    if options.query is not None and options.table_name is not None:
        raise BadFile(f"{where}: give a query or the name of a table, not both.")
    if options.query is not None:
        return None
    if options.table_name is not None:
        if options.table_name not in (*tables, *views) and "." not in options.table_name:
            hint = did_you_mean(options.table_name, [*tables, *views])
            raise BadFile(f"{where} has no table {options.table_name!r}. {hint}")
        return options.table_name
    if len(tables) == 1:
        return tables[0]
    if not tables and not views:
        raise BadFile(f"{where} has no table.")
    shown = ", ".join(map(repr, [*tables, *views][:8])) + (", ..." if len(tables) + len(views) > 8 else "")
    raise BadFile(f"{where} has {len(tables)} tables and {len(views)} views: {shown}. {_HOW}")


def _source(names: Sequence[str], rows: Sequence[Sequence[Any]], where: str) -> Source:
    source = Source({})
    if not rows:
        raise BadFile(f"{where}: the query gives {len(names)} columns but no rows.")
    for name, cells in zip(unique_names(list(names), source.notices), zip(*rows, strict=True), strict=True):
        source.columns[name] = python_cells(name, cells)
    return source


def _refusal(error: Exception, where: str, tables: Iterable[str], secrets: Sequence[str] = ()) -> BadFile:
    """What the database said, without the password."""
    text = _said(error, secrets)
    missing = re.search(r"no such table: (\S+)", text)
    if missing:
        return BadFile(f"{where} has no table {missing[1]!r}. {did_you_mean(missing[1], tables)}")
    if any(said in text for said in ("not authorized", "readonly", "read-only", "data-modifying")):
        return BadFile(f"{where}: the query would change the database ({text}). It must be one that reads: select ...")
    if "is locked" in text:
        return BadFile(f"{where} cannot be read: {text}, by another program. Wait for it to end, or copy the file.")
    return BadFile(f"{where} cannot be read: {text}.")


def _said(error: BaseException, secrets: Sequence[str]) -> str:
    """What a driver said, without the password; the kind of error where it said nothing."""
    text = without_password(" ".join(str(error).split())) or type(error).__name__
    for secret in secrets:
        text = text.replace(secret, "***")
    return text.rstrip(".")
