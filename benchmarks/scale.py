"""Tables in chunks: the same answer, growth with rows, overhead, memory, workers, and rivals.

    python benchmarks/scale.py                             the public tables of MERCER_DATA, and generated ones
    python benchmarks/scale.py --gigabytes 20 --workers 2 --limit 2GB     larger than memory, on a cluster
    python benchmarks/scale.py --only growth --rows 1000000 50000000      time against rows, from and to
    python benchmarks/scale.py --only workers --rows 250000 5000000       two workers against one
    MERCER_RIVALS=python-of-the-rivals python benchmarks/scale.py --only rival --rows 250000 1000000

Each figure is printed, and appended to `--log`, as its fit ends; `--learners` names some of them. Generated files stay
in `--folder` for the next run. Times are processor seconds of this process (`Local`), or the clock for clusters; peaks
are of processes of their own.
"""

from __future__ import annotations

import argparse
import gzip
import json
import multiprocessing
import os
import shutil
import subprocess
import tempfile
import time
from pathlib import Path
from unittest.mock import patch

import numpy as np
import polars as pl
from scale_cluster import Measured, gain_of_machine, measure
from scale_learners import fit, models, peak, seconds
from scale_table import COLUMNS, PART, files
from sklearn.base import clone
from sklearn.metrics import log_loss

import mercer
from mercer.scale import fitting
from mercer.scale.engine import Local
from mercer.table import infer, open_source
from mercer.table.build import build

PARTS = ("same_answer", "growth", "overhead", "memory", "workers", "rival", "constants")


class Run:
    """What was asked for: the table, the learners, and where figures go."""

    def __init__(self, given, folder):
        self.folder, self.log, self.minutes = folder, given.log, given.minutes
        (self.low, self.high), self.points = given.rows, given.points
        self.counts, self.limit = (1, given.workers), given.limit
        known = models(given.rank)
        self.learners = {name: known[name] for name in given.learners or known}

    def table(self, n_rows):
        """The files of a generated table; those that lack are written."""
        return files(self.folder, n_rows)

    def say(self, text):
        """Print a figure and append it to the log."""
        print(text, flush=True)
        if self.log:
            with self.log.open("a") as lines:
                lines.write(f"{text}\n")


def same_answer(run):
    """Census and covtype: probabilities in chunks against those of one fit to all rows, of a linear SVM decisions, of
    linear regression predictions (the cover type as a number)."""
    data = Path(os.environ.get("MERCER_DATA", "data"))
    names = {
        "census_income_kdd": ("census_income_1994_1995_train.csv.gz", "column_42"),
        "covtype": ("covtype.csv.gz", None),
    }
    for name, (file, column) in names.items():
        if not (data / name / file).exists():
            run.say(f"{name}: not there (MERCER_DATA)")
            continue
        path = run.folder / f"{name}.csv"
        with gzip.open(data / name / file) as packed, path.open("wb") as out:
            shutil.copyfileobj(packed, out)
        compare(run, name, path, column)


def compare(run, name, path, target):
    """One fit to all rows of a file, and fits in chunks of two sizes; the last column is the target unless named."""
    source = open_source(path)
    target = target or list(source.columns)[-1]
    cells = source.pop(target)
    labels = np.char.strip(cells.to_numpy().astype(str)) if cells.dtype == pl.String else cells.to_numpy()
    table = build(source, infer(source))
    learners = {
        "naive Bayes": (mercer.NaiveBayes(), "predict_proba"),
        "boosting": (mercer.HistGradientBoostingClassifier(max_iter=20, random_state=0), "predict_proba"),
    }
    learners["logistic regression"] = mercer.LogisticRegression(), "predict_proba"
    if len(np.unique(labels)) == 2:
        learners["linear SVM"] = mercer.LinearSVC(loss="hinge"), "decision_function"
    if labels.dtype.kind in "if":
        learners["linear regression"] = mercer.LinearRegression(), "predict"
    for learner, (model, answer) in learners.items():
        plain_time, plain = seconds(lambda: clone(model).fit(table, labels))  # noqa: B023
        expected = getattr(plain, answer)(table)
        for cells_of_chunk in (1 << 20, 1 << 22):
            chunks = mercer.scale.as_chunks(path, cells=cells_of_chunk)
            taken, found = seconds(lambda: fit(model, chunks, target))  # noqa: B023
            gap = np.abs(getattr(found, answer)(table) - expected).max()
            certified = f" (duality gap {found.duality_gap_:.2g})" if learner == "linear SVM" else ""
            if learner == "logistic regression":
                losses = [penalised_loss(m, table, labels) for m in (found, plain)]
                certified = f" (penalised loss {losses[0]:.4f} and {losses[1]:.4f})"
            alike = "same schema" if found.schema_.columns == table.schema.columns else "ANOTHER SCHEMA"
            run.say(
                f"{name}, {learner}: {len(table):,} rows in {len(chunks)} chunks, {alike}, answers differ by "
                f"{gap:.1e}{certified}; {taken:.1f} s with reading, plain fit {plain_time:.2f} s without"
            )


def penalised_loss(model, table, labels):
    """What logistic regression with C = 1 minimises."""
    return log_loss(labels, model.predict_proba(table), normalize=False) + 0.5 * (model.coef_**2).sum()


def growth(run):
    """Seconds against rows, and the slope of their logarithms."""
    sizes = [int(n) if n < PART else round(n / PART) * PART for n in np.geomspace(run.low, run.high, run.points)]
    for name, (model, target) in run.learners.items():
        times = []
        for n in sizes:
            times.append(seconds(lambda: fit(model, run.table(n), target))[0])  # noqa: B023
            run.say(f"{name}: {n:,} rows, {times[-1]:.2f} s, {times[-1] / n * 1e6:.2f} us a row")
        run.say(f"{name}: slope {np.polyfit(np.log(sizes), np.log(times), 1)[0]:.2f}")


def overhead(run):
    """In chunks against reading the same files at once and fitting, on a table that fits."""
    data = run.table(run.low)

    def plain(model, target):
        table = pl.read_parquet(data)
        return clone(model).fit(table.drop("y", "amount"), table[target].to_numpy())

    for name, (model, target) in run.learners.items():
        works = (lambda: plain(model, target), lambda: fit(model, data, target))  # noqa: B023
        at_once, chunks = np.min([[seconds(work)[0] for work in works] for _ in range(3)], axis=0)
        ratio = chunks / at_once
        run.say(f"{name}: {run.low:,} rows, {chunks:.2f} s in chunks, {at_once:.2f} s at once: {ratio:.2f}x")


def _peak(data, model, target, pipe):
    base = peak()
    fit(model, data, target)
    pipe.send((base, peak()))


def memory(run):
    """The peak of a process that fits in chunks, beside the size of the table as decoded."""
    data, size = run.table(run.high), run.high * COLUMNS * 8 / 1e9
    context = multiprocessing.get_context("spawn")
    for name, (model, target) in run.learners.items():
        mine, theirs = context.Pipe()
        process = context.Process(target=_peak, args=(data, model, target, theirs))
        process.start()
        base, most = mine.recv()
        process.join()
        run.say(
            f"{name}: {run.high:,} rows ({size:.2f} GB decoded), peak {most / 1e9:.2f} GB ({base / 1e9:.2f} before)"
        )


def workers(run):
    """Clusters of one worker and of more: the clock, and peaks; and what two processes gain on this machine."""
    for name, (model, target) in run.learners.items():
        times = []
        for n in run.counts:
            found = measure(model, target, run.table(run.high), n, run.limit, run.minutes)
            run.say(f"{name}, {n} workers, {run.high:,} rows: {found}")
            times.append(found.seconds if isinstance(found, Measured) else np.nan)
        apart = gain_of_machine(model, target, run.table(run.high))
        run.say(f"{name}: {times[0] / times[-1]:.2f}x; two processes that share nothing: {apart:.2f}x")


def larger(run, gigabytes):
    """A table larger than memory on one cluster."""
    start = time.perf_counter()
    n_rows = round(gigabytes * 1e9 / (8 * COLUMNS))
    data = run.table(n_rows)
    size = sum(Path(path).stat().st_size for path in data) / 1e9
    run.say(
        f"{n_rows:,} rows, {gigabytes:g} GB decoded, {size:.2f} GB in {len(data)} files, "
        f"made or found in {time.perf_counter() - start:.0f} s"
    )
    for name, (model, target) in run.learners.items():
        found = measure(model, target, data, run.counts[-1], run.limit, run.minutes)
        run.say(f"{name}, {run.counts[-1]} workers of {run.limit}: {found}")


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


def constants(run):
    """What `mercer.scale.plan` counts with: nanoseconds a cell of each pass, and seconds of a task."""
    data, n = run.table(run.low), run.low
    for name, (model, target) in run.learners.items():
        engine = Timed()
        with patch.object(fitting, "engine_of", lambda client: engine):  # noqa: B023
            taken, _ = seconds(lambda: fit(model, data, target))  # noqa: B023
        passes = [t / (n * COLUMNS) * 1e9 for t in (*engine.times, taken - sum(engine.times))]
        shown = ", ".join(f"{t:.1f}" for t in passes[:-1])
        run.say(f"{name}: {len(engine.times)} passes of {shown} ns a cell, {passes[-1]:.1f} ns between them")
    from distributed import Client, LocalCluster  # noqa: PLC0415

    options = {"n_workers": 1, "threads_per_worker": 1, "dashboard_address": ":0", "host": "127.0.0.1"}
    with LocalCluster(**options, silence_logs=50) as cluster, Client(cluster) as client:
        for _ in range(2):  # once to warm up
            start = time.perf_counter()
            client.gather([client.submit(abs, k, pure=False) for k in range(2000)])
            taken = time.perf_counter() - start
        run.say(f"a task: {taken / 2000 * 1e3:.2f} ms")


def rival(run):
    """dask-ml (logistic regression, naive Bayes) and lightgbm.dask (boosting) on 23 numbers: two workers, the clock."""
    interpreter = os.environ.get("MERCER_RIVALS")
    if not interpreter:
        run.say("Set MERCER_RIVALS to the interpreter of an environment with dask-ml and lightgbm.")
        return
    data, script = run.table(run.high), Path(__file__).with_name("scale_rivals.py")
    first = pl.read_parquet(data[0])
    kinds = dict.fromkeys(["x0", *(f"c{j}" for j in range(6))], "skip")
    ours = {
        "bayes": mercer.NaiveBayes(kinds=kinds),
        "logistic": mercer.LogisticRegression(kinds=kinds),
        "boosting": mercer.HistGradientBoostingClassifier(max_iter=20, early_stopping=False, kinds=kinds),
    }
    for name in [name for name in ours if name in run.learners]:
        command = [interpreter, str(script), name, *data]
        asked = subprocess.run(command, capture_output=True, text=True, check=False)
        if asked.returncode:
            run.say(f"{name}: the rival failed: {asked.stderr.strip().splitlines()[-1]}")
            continue
        theirs = json.loads(asked.stdout.splitlines()[-1])
        found = measure(ours[name], "y", data, 2, run.limit, run.minutes)
        loss = (
            log_loss(first["y"].to_numpy(), found.model.predict_proba(first)[:, 1])
            if isinstance(found, Measured)
            else np.nan
        )
        run.say(
            f"{name}, {run.high:,} rows: {found}, loss {loss:.6f}; "
            f"rival {theirs['seconds']:.1f} s, loss {theirs['loss']:.6f}"
        )


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, nargs=2, default=(250_000, 2_000_000), metavar=("FROM", "TO"))
    parser.add_argument("--points", type=int, default=4, help="tables of growth, from FROM rows to TO")
    parser.add_argument("--gigabytes", type=float, help="only fit a table of so many GB as decoded, on a cluster")
    parser.add_argument("--only", nargs="+", choices=PARTS, help="these parts (default: all)")
    parser.add_argument("--learners", nargs="+", choices=tuple(models()), help="these learners (default: all)")
    parser.add_argument("--rank", type=int, default=100, help="landmarks of the SVC")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--limit", default="2GB", help="memory of a worker")
    parser.add_argument("--minutes", type=float, default=20, help="after which a fit on a cluster is ended")
    parser.add_argument("--folder", type=Path, help="where generated files stay (default: a temporary folder)")
    parser.add_argument("--log", type=Path, help="a file to which figures are appended as they are found")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        run = Run(given, given.folder or Path(name))
        if given.gigabytes:
            larger(run, given.gigabytes)
            return
        for part in given.only or PARTS:
            run.say(f"-- {part}")
            globals()[part](run)


if __name__ == "__main__":
    main()
