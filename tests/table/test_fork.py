"""Forked children fit and predict on tables in memory; files are read there or refused, never waited for."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from threading import Event

import polars as pl
import pytest

from mercer.table.formats import cells

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")

# The parent fits and reads first, so that the threads of every library are running when it forks.
PARENT = """
import os, sys, warnings
import numpy as np, polars as pl
import mercer

warnings.simplefilter("ignore")
n = 400
rng = np.random.default_rng(0)
columns = {
    "size": rng.normal(size=n), "count": rng.integers(0, 50, n), "flag": rng.random(n) < 0.5,
    "price": [f"{v}K" for v in rng.integers(1, 90, n)], "when": [f"2021-0{m}-11" for m in rng.integers(1, 9, n)],
    "job": [[" sales", "clerk", None, "NA"][k] for k in rng.integers(0, 4, n)],
    "account_id": np.arange(n)[::-1],
    "letter": [f"the {a} of {b} and {c}" for a, b, c in rng.integers(0, 50, (n, 3))],
}
columns["size"][3] = np.nan
y = np.where(columns["size"] > 0, "yes", "no")
if KIND == "pandas":
    import pandas as pd
    frame = pd.DataFrame(columns)
    frame["level"] = pd.Categorical(["low", "high"] * (n // 2), ["low", "high"], ordered=True)
elif KIND == "polars":
    frame = pl.DataFrame(columns).with_columns(
        pl.Series("level", ["low", "high"] * (n // 2)).cast(pl.Categorical),
        pl.Series("grade", ["b", "a"] * (n // 2)).cast(pl.Enum(["b", "a"])),
        pl.col("when").str.to_date().alias("day"),
    )
elif KIND == "pyarrow":
    import pyarrow as pa
    frame = pa.table({name: pa.array(cells, from_pandas=True) for name, cells in columns.items()})
elif KIND == "objects":
    frame = np.column_stack([np.array(cells, dtype=object) for cells in columns.values()])
else:
    frame = {name: list(cells) for name, cells in columns.items()}
make = eval(MODEL)
model = make().fit(frame, y)
expected = model.predict(frame).tolist()
pl.Series([2.0, 1.0]).sort()

def work(_):
    again = make().fit(frame, y).predict(frame).tolist()
    return model.predict(frame).tolist() == expected and again == expected
"""
FORK = """
child = os.fork()
if child == 0:
    os._exit(0 if work(0) else 3)
sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""
POOL = """
import multiprocessing
with multiprocessing.get_context("fork").Pool(2) as pool:
    sys.exit(0 if all(pool.map(work, range(3))) else 3)
"""
JOBLIB = """
from joblib import Parallel, delayed
done = Parallel(n_jobs=2, backend="multiprocessing")(delayed(work)(k) for k in range(3))
sys.exit(0 if all(done) else 3)
"""
LIMIT = 240  # seconds: a hang is told from a busy machine


def _run(code: str, folder: Path | None = None) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", code]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=LIMIT, cwd=folder)


def _program(kind: str, model: str, child: str) -> str:
    return f"KIND, MODEL = {kind!r}, {model!r}\n{PARENT}\n{child}"


@pytest.mark.parametrize("kind", ["pandas", "polars", "pyarrow", "mapping", "objects"])
def test_frames_in_a_forked_child(kind: str) -> None:
    if kind in ("pandas", "pyarrow"):
        pytest.importorskip(kind)
    done = _run(_program(kind, "mercer.NaiveBayes", FORK))
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("child", [POOL, JOBLIB], ids=["Pool", "joblib"])
def test_frames_in_pools_of_forked_children(child: str) -> None:
    done = _run(_program("mapping", "mercer.NaiveBayes", child))
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    "model", ["lambda: mercer.SVC(probability='sigmoid')", "mercer.LogisticRegression", "mercer.KNeighborsClassifier",
              "mercer.DecisionTreeClassifier"]
)  # fmt: skip
def test_native_threads_and_blas_in_a_forked_child(model: str) -> None:
    done = _run(_program("polars", model, FORK))
    assert done.returncode == 0, done.stderr


READ = """
import os, sys
import polars as pl
import mercer
from mercer.table.formats import cells
cells._PATIENCE = 20.0
if STARTED:
    pl.Series([2.0, 1.0]).sort()
child = os.fork()
if child == 0:
    try:
        for source in ("t.csv", "t.parquet", pl.LazyFrame({"a": [1, 2, 3]})):
            if STARTED:
                cells._PATIENCE = 3.0
            try:
                assert mercer.read_table(source).n_rows == 3
                assert not STARTED
            except mercer.errors.MercerError as error:
                assert STARTED and "forked" in str(error) and "spawn" in str(error), error
    except BaseException as error:
        print(repr(error), file=sys.stderr, flush=True)
        os._exit(3)
    os._exit(0)
sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""


@pytest.mark.parametrize("started", [False, True])
def test_files_in_a_forked_child_are_read_or_refused(started: bool, tmp_path: Path) -> None:
    frame = pl.DataFrame({"a": [1, 2, 3], "b": [0.5, 1.5, 9.0]})
    frame.write_csv(tmp_path / "t.csv")
    frame.write_parquet(tmp_path / "t.parquet")
    done = _run(f"STARTED = {started}\n{READ}", tmp_path)
    assert done.returncode == 0, done.stderr


def test_a_forked_child_reads_cells_as_its_parent_does(monkeypatch: pytest.MonkeyPatch) -> None:
    blanks = "".join(chr(c) for c in range(0x3001) if chr(c).isspace())
    texts = pl.Series(
        "t", ["NA", " na\t", "", "007", "1" * 20, "-" + "9" * 19, "\x1c8", f"{blanks}Ä{blanks}", "é", "Z", "a"]
    )

    def read() -> list[object]:
        stripped = cells.strip(texts)
        matched = [cells.matches(texts.drop_nulls(), pattern).tolist() for pattern in ("0[0-9]+", "[+-]?[0-9]{19,}")]
        in_words = cells.lower_in(stripped, {"na", ""}).tolist()
        return [stripped.to_list(), in_words, cells.sorted_texts(texts.drop_nulls()).to_list(), matched]

    expected = read()
    monkeypatch.setattr(cells, "_forked", Event())
    cells._forked.set()
    assert read() == expected
