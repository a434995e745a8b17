"""Rows streamed from a real PostgreSQL server, which the tests start and stop: on a socket in a folder of its own."""

import os
import pwd
import shutil
import subprocess
import tempfile
from pathlib import Path

import numpy as np
import pytest

import mercer
from mercer.errors import BadFile
from tests.scale.rows import ROWS, expect_same

sqlalchemy = pytest.importorskip("sqlalchemy")
pytest.importorskip("psycopg")


def programs():
    """The folder of initdb, pg_ctl and postgres; '' where none is installed."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda p: float(p.parts[-3]))
    return found[-1].parent if found else Path(shutil.which("initdb") or "").parent


def unprivileged():
    """Whom the server runs as: it refuses root."""
    if os.getuid() != 0:
        return {}
    names = {entry.pw_name for entry in pwd.getpwall()}
    name = next(n for n in ("postgres", "nobody") if n in names)
    return {"user": name, "group": pwd.getpwnam(name).pw_gid, "extra_groups": []}


class Server:
    """A server whose one client is the test; `address` is its database's."""

    def __init__(self, folder):
        self.folder, self.data = folder, folder / "data"
        self.address = f"postgresql+psycopg://owner@/postgres?host={folder}"
        self.run("initdb", "--auth=trust", "--username=owner", "--no-sync", "--encoding=UTF8", "--locale=C")

    def run(self, program, *words):
        done = subprocess.run(
            [programs() / program, "-D", self.data, *words], cwd=self.folder, stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, timeout=120, check=False, **unprivileged(),
        )  # fmt: skip
        assert done.returncode == 0, done.stderr

    def start(self):
        options = f"-c listen_addresses='' -c unix_socket_directories='{self.folder}' -c fsync=off"
        self.run("pg_ctl", "start", "-w", "-l", str(self.folder / "log"), "-o", options)

    def stop(self):
        self.run("pg_ctl", "stop", "-w", "-m", "immediate")

    def connect(self):
        return sqlalchemy.create_engine(self.address, poolclass=sqlalchemy.pool.NullPool).begin()


@pytest.fixture(scope="module")
def server():
    if not (programs() / "initdb").is_file():
        pytest.skip("no PostgreSQL server is installed")
    with tempfile.TemporaryDirectory(prefix="pg") as name:  # short: the path of a socket has at most 107 letters
        folder = Path(name)
        if os.getuid() == 0:
            os.chown(folder, pwd.getpwnam(unprivileged()["user"]).pw_uid, -1)
        found = Server(folder)
        found.start()
        try:
            with found.connect() as connection:
                ROWS.rename_axis("id").reset_index().to_sql("people", connection, index=False)
            yield found
        finally:
            if (found.data / "postmaster.pid").exists():
                found.stop()


QUERY = "select age, job, pay, city, y from people order by id"


@pytest.mark.parametrize("model", [mercer.NaiveBayes(), mercer.LogisticRegression()], ids=lambda m: type(m).__name__)
def test_a_streamed_query_is_the_table(server, model):
    chunks = mercer.scale.as_chunks(server.address, query=QUERY, cells=10_000)
    assert [chunk.frame.n_rows for chunk in chunks] == [100] * 6
    found = mercer.scale.fit(model, chunks, "y")
    expect_same(found, type(model)().fit(ROWS.drop(columns="y"), ROWS.y), rtol=1e-6)


def test_a_query_is_trained_on_in_the_terminal_and_by_chunks(server):
    found = mercer.train(server.address, "y", query=QUERY, learners=["naive_bayes", "baseline"], quick=True)
    assert found.comparison.splits.n_rows == len(ROWS)
    by_name = mercer.scale.fit(mercer.NaiveBayes(), mercer.scale.as_chunks(server.address, table_name="people"), "y")
    np.testing.assert_array_equal(by_name.class_count_, ROWS.y.value_counts().sort_index())


def test_a_query_that_fails_midway_says_where(server):
    query = "select id, y, 1 / (id - 450) as worth from people"
    chunks = mercer.scale.as_chunks(server.address, query=query, cells=10_000)
    with pytest.raises(BadFile, match=r"gave an error while it was read, after \d+ rows: division by zero.* the query"):
        mercer.scale.fit(mercer.NaiveBayes(), chunks, "y")
    with pytest.raises(BadFile, match='relation "nobody" does not exist'):
        mercer.scale.fit(mercer.NaiveBayes(), mercer.scale.as_chunks(server.address, query="select * from nobody"), "y")
    writing = "with gone as (delete from people returning *) select * from gone"
    with pytest.raises(BadFile, match="must be one that reads"):
        mercer.scale.fit(mercer.NaiveBayes(), mercer.scale.as_chunks(server.address, query=writing), "y")


def test_a_server_that_goes_away_is_told(server):
    many = "select n as age, n % 2 as y from generate_series(1, 2000000) as n"
    chunks = iter(mercer.scale.as_chunks(server.address, query=many, cells=100_000))
    assert next(chunks).frame.n_rows == 1000
    server.stop()
    with pytest.raises(BadFile, match=r"went away while it was read, after [\d,]+ rows: .*read it again"):
        for _ in chunks:
            pass
    with pytest.raises(BadFile, match="cannot be read"):
        mercer.scale.fit(mercer.NaiveBayes(), mercer.scale.as_chunks(server.address, query=QUERY), "y")
    server.start()
    with server.connect() as connection:
        assert connection.execute(sqlalchemy.text("select count(*) from people")).scalar() == len(ROWS)
