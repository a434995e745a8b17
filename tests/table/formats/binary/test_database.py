"""Databases: a table or a query, read only, and no password in any message."""

import datetime as dt
import socket
import sqlite3
import sys
import threading
import types
from contextlib import closing
from itertools import islice
from pathlib import Path

import numpy as np
import pytest
import sqlalchemy
from sqlalchemy.engine import default

import mercer
from mercer.errors import BadFile, MercerWarning
from mercer.table.formats.binary.database import without_password
from mercer.table.read import source_name

CREATE = "create table people (name text, age integer, pay real, born date, photo blob, mixed)"
ROWS = [
    ("abc"[i % 3], 20 + i * i, None if i == 1 else i / 2, f"2000-01-{i + 1:02}", b"x", [1, "z"][i % 2])
    for i in range(8)
]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    with closing(sqlite3.connect(tmp_path / "shop.db")) as connection, connection:
        connection.execute(CREATE)
        connection.executemany("insert into people values (?, ?, ?, ?, ?, ?)", ROWS)
    return tmp_path / "shop.db"


def add_table(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute('create table "order ""lines""" (a integer, b integer)')
        connection.executemany('insert into "order ""lines""" values (?, ?)', [(1, 5), (2, 7), (4, 6)])
        connection.execute("create view old as select * from people where age > 30")


def addresses(path: Path) -> list:
    return [path, str(path), f"sqlite:///{path}", f"sqlite+pysqlite:///{path}"]


def test_the_only_table_is_taken_with_its_types(path):
    for source in addresses(path):
        table = mercer.read_table(source)
        assert table.columns == ("name", "age", "pay", "born", "mixed")
        assert table.schema["name"].levels == ("a", "b", "c")
        assert table.numbers("age").ravel().tolist() == [20 + i * i for i in range(8)]
        assert np.array_equal(
            table.numbers("pay").ravel(), [r[2] or np.nan if r[2] != 0 else 0 for r in ROWS], equal_nan=True
        )
        assert table.numbers("born")[0, 0] == (dt.date(2000, 1, 1) - dt.date(1970, 1, 1)).days
        assert table.schema["mixed"].levels == ("1", "z")
        assert [(c.name, str(c.cause)) for c in table.schema.left_out] == [("photo", "unreadable")]


def test_a_table_by_name_and_a_query(path):
    add_table(path)
    for source in addresses(path):
        assert mercer.read_table(source, table_name='order "lines"').columns == ("a", "b")
        assert mercer.read_table(source, table_name="old").n_rows == sum(r[1] > 30 for r in ROWS)
        found = mercer.read_table(
            source, query="with t as (select age, pay from people) select age a, pay from t where age < 60"
        )
        assert found.columns == ("a", "pay")
        with pytest.raises(BadFile, match=r"2 tables and 1 views: .*--query .*--table-name"):
            mercer.read_table(source)
        with pytest.raises(BadFile, match=r"no table 'pepole'\. Did you mean 'people'"):
            mercer.read_table(source, table_name="pepole")
        with pytest.raises(BadFile, match=r"no table 'pepole'\. Did you mean 'people'"):
            mercer.read_table(source, query="select * from pepole")
        with pytest.raises(BadFile, match="not both"):
            mercer.read_table(source, query="select 1", table_name="people")


@pytest.mark.parametrize(
    "query",
    [
        "delete from people",
        "drop table people",
        "insert into people (name) values ('x') returning *",
        "with t as (select 1) delete from people",
        "with t as (select 1) insert into people (name) select 'x' returning *",
        "attach database '/tmp/x.db' as x",
        "pragma user_version = 3",
        "select 1; drop table people",
        "vacuum",
        "",
    ],
)
def test_a_query_that_writes_is_refused_and_changes_nothing(path, query):
    before = path.read_bytes()
    for source in addresses(path):
        with pytest.raises(BadFile):
            mercer.read_table(source, query=query)
    assert path.read_bytes() == before


def test_queries_that_give_nothing(path):
    with pytest.raises(BadFile, match="2 columns but no rows"):
        mercer.read_table(path, query="select age, pay from people where age < 0")
    with pytest.raises(BadFile, match="no such column: agge"):
        mercer.read_table(path, query="select agge from people")
    with pytest.warns(MercerWarning, match="repeats the name 'age'"):
        assert mercer.read_table(path, query="select age, age from people").columns == ("age", "age.2")


def test_files_that_are_no_database(tmp_path):
    (tmp_path / "t.sqlite").write_bytes(b"a,b\n1,2\n")
    (tmp_path / "e.sqlite3").write_bytes(b"")
    (tmp_path / "cut.db").write_bytes(b"SQLite format 3\0" + b"\1" * 100)
    (tmp_path / "t.csv").write_text("a,b\n1,2\n")
    with closing(sqlite3.connect(tmp_path / "none.db")) as connection, connection:
        connection.execute("create table t (a)")
        connection.execute("drop table t")
    for name, message in (
        ("t.sqlite", "no SQLite database, or it is encrypted"), ("e.sqlite3", "it is empty"),
        ("cut.db", "cannot be read"), ("none.db", "has no table"), ("gone.db", "There is no file"),
    ):  # fmt: skip
        with pytest.raises(BadFile, match=message):
            mercer.read_table(tmp_path / name)
    with pytest.raises(BadFile, match="no SQLite database"):
        mercer.read_table(tmp_path / "t.csv", query="select 1")
    with pytest.raises(BadFile, match="There is no file"):
        mercer.read_table(f"sqlite:///{tmp_path / 'gone.db'}")


SECRET = "hunter2"


@pytest.mark.parametrize(
    "address",
    [
        f"postgresql://me:{SECRET}@localhost:1/shop",
        f"mysql+pymysql://me:{SECRET}@localhost:1/shop",
        f"nothing://me:{SECRET}@localhost/shop",
        f"postgresql+psycopg://me:{SECRET}@[broken/shop",
        f"sqlite+pysqlite:///nowhere/x.db?uri=true&password={SECRET}",
    ],
)
def test_no_error_holds_the_password(address):
    with pytest.raises(BadFile) as found:
        mercer.read_table(address, table_name="people")
    assert SECRET not in str(found.value)
    assert SECRET not in source_name(address)


def test_a_database_that_goes_away_or_refuses(path, monkeypatch):
    address = f"sqlite+pysqlite:///{path}"
    for text in (f"server closed the connection to me:{SECRET}@host", f'password "{SECRET}" is wrong for user me'):
        gone = sqlalchemy.exc.OperationalError("select", {}, Exception(text))

        def fail(*_args, error=gone, **_more):
            raise error

        monkeypatch.setattr(sqlalchemy.engine.Connection, "execute", fail)
        monkeypatch.setattr("mercer.table.formats.binary.database._secrets", lambda *_: [SECRET])
        with pytest.raises(BadFile, match=r"shop\.db cannot be read: ") as found:
            mercer.read_table(address)
        assert SECRET not in str(found.value)


class LineDriver(types.ModuleType):
    """A DB-API of one table whose rows come as lines over a socket; a closed socket raises what sockets raise."""

    class Error(Exception):
        pass

    paramstyle = "qmark"

    def connect(self, host, port):
        return LineConnection(socket.create_connection((host, port)))


class LineConnection:
    def __init__(self, link):
        self.link, self.lines, self.description, self.rowcount = link, link.makefile(), None, -1

    def cursor(self):
        return self

    def execute(self, *_):
        self.description = [("a", *[None] * 6), ("b", *[None] * 6)]

    def fetchmany(self, size):
        found = [line.split(",") for line in islice(self.lines, size)]
        if not found or len(found) < size:
            raise ConnectionResetError("connection reset by peer")
        return [tuple(map(float, line)) for line in found]

    def close(self):
        self.lines.close()
        self.link.close()

    commit = rollback = lambda self: None


class LineDialect(default.DefaultDialect):
    name, driver, supports_statement_cache = "lines", "lines", False

    @classmethod
    def import_dbapi(cls):
        return LineDriver("lines")

    def create_connect_args(self, url):
        return [], {"host": url.host, "port": url.port}

    def get_table_names(self, *_args, **_more):
        return ["visits"]

    def get_view_names(self, *_args, **_more):
        return []

    def do_rollback(self, connection):
        pass

    def initialize(self, connection):
        pass


@pytest.mark.parametrize(("sent", "message"), [(7, "after 6 rows: connection reset by peer"), (0, "cannot be read")])
def test_a_server_that_hangs_up_in_the_middle(monkeypatch, sent, message):
    monkeypatch.setitem(sys.modules, "line_dialect", types.SimpleNamespace(LineDialect=LineDialect))
    sqlalchemy.dialects.registry.register("lines", "line_dialect", "LineDialect")
    monkeypatch.setattr("mercer.table.formats.binary.database._CHUNK", 3)
    with socket.create_server(("127.0.0.1", 0)) as server:

        def serve():
            link, _ = server.accept()
            with link:
                link.sendall(b"".join(b"%d,%d\n" % (i, i * i) for i in range(sent)))

        thread = threading.Thread(target=serve)
        thread.start()
        with pytest.raises(BadFile, match=message) as found:
            mercer.read_table(f"lines://me:{SECRET}@127.0.0.1:{server.getsockname()[1]}/shop")
        thread.join()
    assert SECRET not in str(found.value)


def test_a_file_that_is_locked_or_cut_while_it_is_read(tmp_path, monkeypatch):
    monkeypatch.setattr("mercer.table.formats.binary.database._PATIENCE", 0.05)
    path = tmp_path / "long.db"
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("create table t (a integer, b text)")
        connection.executemany("insert into t values (?, ?)", [(i, "x" * 500) for i in range(3000)])
    with closing(sqlite3.connect(path)) as other:
        other.execute("begin exclusive")
        for source in (path, f"sqlite:///{path}"):
            with pytest.raises(BadFile, match="database is locked, by another program"):
                mercer.read_table(source)
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    monkeypatch.setattr("mercer.table.formats.binary.database._CHUNK", 100)
    for source in (path, f"sqlite+pysqlite:///{path}"):
        with pytest.raises(
            BadFile, match=r"went away while it was read, after [\d,]+ rows: .*malformed|cannot be read"
        ):
            mercer.read_table(source)


def test_what_is_shown_of_an_address():
    assert without_password("postgresql://me:a:b@c@host/x") == "postgresql://me:***@host/x"
    assert without_password("mssql://host/x?user=me&pwd=abc&a=1") == "mssql://host/x?user=me&pwd=***&a=1"
    assert without_password("postgresql://me@host/x") == "postgresql://me@host/x"


def test_without_sqlalchemy_the_extra_is_named_and_files_are_read(path, monkeypatch):
    monkeypatch.setitem(sys.modules, "sqlalchemy", None)
    with pytest.raises(BadFile, match=r"postgresql://me:\*\*\*@host/x needs .* pip install mercer\[sql\]"):
        mercer.read_table(f"postgresql://me:{SECRET}@host/x")
    assert mercer.read_table(f"sqlite:///{path}").n_rows == 8


def test_a_report_names_the_address_without_its_password(path, monkeypatch):
    rows = mercer.table.open_source(path, query="select a.age, b.pay from people a, people b")
    monkeypatch.setattr("mercer.table.read.read_file", lambda *_: rows)
    result = mercer.train(
        f"postgresql://me:{SECRET}@host/shop", "age", task="regression", learners="baseline", quick=True
    )
    assert SECRET not in str(result.to_dict())
    assert "postgresql://me:***@host/shop" in str(result.to_dict())
