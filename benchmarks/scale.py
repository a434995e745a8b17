"""Tables in chunks: the same answer, growth with rows, overhead, memory, workers; dask-ml beside where it is installed.

    python benchmarks/scale.py                             the public tables of MERCER_DATA, and generated ones
    python benchmarks/scale.py --only growth --rows 1000000 50000000     time against rows, from and to
    python benchmarks/scale.py --gigabytes 20 --workers 2 --limit 2GB     larger than memory

Times are processor seconds of this process (`Local`), or the clock for clusters; peaks are of a process of their own.
"""

from __future__ import annotations

import argparse
import gzip
import multiprocessing
import os
import resource
import shutil
import tempfile
import time
from pathlib import Path
from unittest.mock import patch

import numpy as np
import polars as pl
from sklearn.base import clone

import mercer
from mercer.scale import fitting
from mercer.scale.engine import Local
from mercer.table import infer, open_source
from mercer.table.build import build

COLUMNS = 30  # of generated tables: 24 numbers, 6 categories
PART = 250_000  # rows of a file
PARTS = ("same_answer", "growth", "overhead", "memory", "workers", "rival", "constants")


def generate(folder, n_rows, seed=0):
    """Parquet files of a mixed table with gaps; rows come from seeds of their own, so a longer table starts alike."""
    weights = np.random.default_rng(seed).normal(size=COLUMNS - 6)
    for part, start in enumerate(range(0, n_rows, PART)):
        rng, n = np.random.default_rng([seed, part]), min(PART, n_rows - start)
        x = rng.normal(size=(n, COLUMNS - 6))
        levels = rng.integers(0, [3, 5, 8, 12, 20, 40], size=(n, 6))
        score = x @ weights + (levels[:, 1] == 2) + rng.logistic(size=n)
        x[rng.random(n) < 0.05, 0] = np.nan
        frame = {f"x{j}": x[:, j] for j in range(x.shape[1])}
        frame |= {f"c{j}": [f"level {v}" for v in levels[:, j]] for j in range(6)}
        frame = pl.DataFrame(frame | {"y": np.where(score > 0, "yes", "no"), "amount": score})
        frame.with_columns(pl.col("x0").fill_nan(None)).write_parquet(folder / f"{part:05}.parquet")
    return str(folder / "*.parquet")


def table(folder, n_rows):
    """The files of a generated table of so many rows, made at the first call."""
    place = folder / f"rows-{n_rows}"
    if place.exists():
        return str(place / "*.parquet")
    place.mkdir()
    return generate(place, n_rows)


def fit(model, data, target, client=None):
    drop = {"y": "amount", "amount": "y"}[target] if target in ("y", "amount") else None
    model = clone(model)
    if drop and "kinds" in model.get_params():
        model.set_params(kinds={drop: "skip"})
    return mercer.scale.fit(model, data, target, client=client)


def seconds(work):
    start = time.process_time()
    result = work()
    return time.process_time() - start, result


def models():
    return {
        "naive Bayes": (mercer.NaiveBayes(), "y"),
        "linear": (mercer.LinearRegression(), "amount"),
        "logistic": (mercer.LogisticRegression(), "y"),
        "boosting": (mercer.HistGradientBoostingClassifier(max_iter=20, random_state=0), "y"),
    }


def same_answer(folder):
    """Census and covtype: probabilities in chunks against those of one fit to all rows."""
    data = Path(os.environ.get("MERCER_DATA", "data"))
    names = {
        "census_income_kdd": ("census_income_1994_1995_train.csv.gz", "column_42"),
        "covtype": ("covtype.csv.gz", None),
    }
    for name, (file, column) in names.items():
        if not (data / name / file).exists():
            print(f"{name}: not there (MERCER_DATA)")
            continue
        path = folder / f"{name}.csv"
        with gzip.open(data / name / file) as packed, path.open("wb") as out:
            shutil.copyfileobj(packed, out)
        compare(name, path, column)


def compare(name, path, target):
    """One fit to all rows of a file, and fits in chunks of two sizes; the last column is the target unless named."""
    source = open_source(path)
    target = target or list(source.columns)[-1]
    cells = source.pop(target)
    labels = np.char.strip(cells.to_numpy().astype(str)) if cells.dtype == pl.String else cells.to_numpy()
    table = build(source, infer(source))
    for learner, model in (
        ("naive Bayes", mercer.NaiveBayes()),
        ("boosting", mercer.HistGradientBoostingClassifier(max_iter=20, random_state=0)),
    ):
        plain_time, plain = seconds(lambda: clone(model).fit(table, labels))  # noqa: B023
        expected = plain.predict_proba(table)
        for cells_of_chunk in (1 << 20, 1 << 22):
            chunks = mercer.scale.as_chunks(path, cells=cells_of_chunk)
            taken, found = seconds(lambda: fit(model, chunks, target))  # noqa: B023
            gap = np.abs(found.predict_proba(table) - expected).max()
            alike = "same schema" if found.schema_.columns == table.schema.columns else "ANOTHER SCHEMA"
            print(
                f"{name}, {learner}: {len(table):,} rows in {len(chunks)} chunks, {alike}, probabilities differ by "
                f"{gap:.1e}; {taken:.1f} s with reading, plain fit {plain_time:.2f} s without",
                flush=True,
            )


def growth(folder, low, high):
    """Seconds against rows, and the slope of their logarithms."""
    sizes = np.unique(np.geomspace(low, high, 4).round().astype(int))
    found = {name: [] for name in models()}
    for n in sizes:
        data = table(folder, int(n))
        for name, (model, target) in models().items():
            found[name].append(seconds(lambda: fit(model, data, target))[0])  # noqa: B023
    for name, times in found.items():
        slope = np.polyfit(np.log(sizes), np.log(times), 1)[0]
        shown = ", ".join(f"{n:,}: {t:.1f} s" for n, t in zip(sizes, times, strict=True))
        print(f"{name}: {shown}; slope {slope:.2f}")


def overhead(folder, n):
    """In chunks against reading the same files at once and fitting, on a table that fits."""
    data = table(folder, n)

    def plain(model, target):
        table = pl.read_parquet(data)
        return clone(model).fit(table.drop("y", "amount"), table[target].to_numpy())

    for name, (model, target) in models().items():
        works = (lambda: plain(model, target), lambda: fit(model, data, target))  # noqa: B023
        at_once, chunks = np.min([[seconds(work)[0] for work in works] for _ in range(3)], axis=0)
        print(f"{name}: {n:,} rows, {chunks:.2f} s in chunks, {at_once:.2f} s at once: {chunks / at_once:.2f}x")


def _peak(data, name, pipe):
    base = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    model, target = models()[name]
    fit(model, data, target)
    pipe.send((base, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss))


def memory(folder, n):
    """The peak of a process that fits in chunks, beside the size of the table as decoded."""
    data = table(folder, n)
    context = multiprocessing.get_context("spawn")
    for name in models():
        mine, theirs = context.Pipe()
        process = context.Process(target=_peak, args=(data, name, theirs))
        process.start()
        base, peak = mine.recv()
        process.join()
        size = n * COLUMNS * 8 / 1e9
        print(f"{name}: {n:,} rows ({size:.2f} GB decoded), peak {peak / 1e6:.2f} GB ({base / 1e6:.2f} before)")


def peak():
    """The largest memory that this process has had, in bytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def workers(data, counts, limit):
    """The clock on clusters of one process a worker, and the peak of a worker and of the process that asks."""
    from distributed import Client, LocalCluster  # noqa: PLC0415

    for name, (model, target) in models().items():
        times = []
        for n in counts:
            options = {"threads_per_worker": 1, "memory_limit": limit, "dashboard_address": None, "host": "127.0.0.1"}
            with LocalCluster(n_workers=n, **options) as cluster, Client(cluster) as client:
                baseline = mercer.MeanTarget() if target == "amount" else mercer.MajorityClass()
                fit(baseline, data, target, client)  # workers import what they need
                start = time.perf_counter()
                fit(model, data, target, client)
                times.append(time.perf_counter() - start)
                largest = max(client.run(peak).values())
        shown = ", ".join(f"{n} workers {t:.1f} s" for n, t in zip(counts, times, strict=True))
        memory = f"peak of a worker {largest / 1e9:.2f} GB, here {peak() / 1e9:.2f} GB"
        print(f"{name}: {shown}; {times[0] / times[-1]:.2f}x; {memory}", flush=True)


class Timed(Local):
    """Processor seconds of each pass."""

    def __init__(self):
        self.times = []

    def merge(self, *given):
        taken, found = seconds(lambda: super(Timed, self).merge(*given))
        self.times.append(taken)
        return found

    def each(self, *given):
        start = time.process_time()
        yield from super().each(*given)
        self.times.append(time.process_time() - start)


def constants(folder, n):
    """What `mercer.scale.plan` counts with: nanoseconds a cell of each pass, and seconds of a task."""
    data = table(folder, n)
    for name, (model, target) in models().items():
        engine = Timed()
        with patch.object(fitting, "engine_of", lambda client: engine):  # noqa: B023
            taken, _ = seconds(lambda: fit(model, data, target))  # noqa: B023
        passes = [t / (n * COLUMNS) * 1e9 for t in (*engine.times, taken - sum(engine.times))]
        shown = ", ".join(f"{t:.1f}" for t in passes[:-1])
        print(f"{name}: {len(engine.times)} passes of {shown} ns a cell, {passes[-1]:.1f} ns between them")
    from distributed import Client, LocalCluster  # noqa: PLC0415

    options = {"n_workers": 1, "threads_per_worker": 1, "dashboard_address": None, "host": "127.0.0.1"}
    with LocalCluster(**options, silence_logs=50) as cluster, Client(cluster) as client:
        for _ in range(2):  # once to warm up
            start = time.perf_counter()
            client.gather([client.submit(abs, k, pure=False) for k in range(2000)])
            taken = time.perf_counter() - start
        print(f"a task: {taken / 2000 * 1e3:.2f} ms")


def rival(data):
    """dask-ml's logistic regression on the same numbers, by its log loss."""
    try:
        from dask import dataframe as dd  # noqa: PLC0415
        from dask_ml.linear_model import LogisticRegression  # noqa: PLC0415
    except ImportError as error:
        print(f"dask-ml: not installed ({error})")
        return
    frame = dd.read_parquet(data)
    numbers = frame[[f"x{j}" for j in range(1, COLUMNS - 6)]].to_dask_array(lengths=True)
    taken, model = seconds(lambda: LogisticRegression().fit(numbers, (frame["y"] == "yes").to_dask_array(lengths=True)))
    kinds = {f"c{j}": "skip" for j in range(6)} | {"x0": "skip", "amount": "skip"}
    ours, found = seconds(lambda: mercer.scale.fit(mercer.LogisticRegression(kinds=kinds), data, "y"))
    rows = pl.read_parquet(data)
    X, yes = rows.select(f"x{j}" for j in range(1, COLUMNS - 6)).to_numpy(), (rows["y"] == "yes").to_numpy()

    def objective(coef, intercept):
        margin = (X @ coef.ravel() + intercept) * np.where(yes, 1, -1)
        return np.logaddexp(0, -margin).sum() + coef.ravel() @ coef.ravel() / 2

    mine, theirs = objective(found.coef_, found.intercept_), objective(model.coef_, model.intercept_)
    print(
        f"logistic: {ours:.1f} s, dask-ml {taken:.1f} s: {taken / ours:.1f}x; objective {mine:.6f}, "
        f"dask-ml {theirs - mine:+.1e}"
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, nargs=2, default=(250_000, 2_000_000), metavar=("FROM", "TO"))
    parser.add_argument("--gigabytes", type=float, help="only fit a table of so many GB as decoded, on a cluster")
    parser.add_argument("--only", nargs="+", choices=PARTS, help="these parts (default: all)")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--limit", default="2GB", help="memory of a worker")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if given.gigabytes:
            workers(generate(folder, int(given.gigabytes * 1e9 / (8 * COLUMNS))), (given.workers,), given.limit)
            return
        parts = {
            "same_answer": lambda: same_answer(folder),
            "growth": lambda: growth(folder, *given.rows),
            "overhead": lambda: overhead(folder, given.rows[0]),
            "memory": lambda: memory(folder, given.rows[1]),
            "workers": lambda: workers(table(folder, given.rows[1]), (1, given.workers), given.limit),
            "constants": lambda: constants(folder, given.rows[0]),
            "rival": lambda: rival(table(folder, given.rows[0])),
        }
        for part in given.only or parts:
            print(f"-- {part}", flush=True)
            parts[part]()


if __name__ == "__main__":
    main()
