"""The pipeline of Yao's thesis (chapters 3.2 and 4) from the raw table to its Tables 4.3 to 4.6, in one command.

    python benchmarks/thesis.py                                      a generated table in the layout of KDD Cup 2009
    python benchmarks/thesis.py census --rows 10000                  census_income_kdd under MERCER_DATA
    python benchmarks/thesis.py upselling                            the reduced up-selling table under MERCER_DATA
    python benchmarks/thesis.py --cells orange_small_train.data --labels orange_small_train_upselling.labels

Columns with more than 95 % missing cells go, missing numbers become medians, the 20 commonest values of each column
stay, a forest keeps the union of the 40 best columns by either importance. Table 4.3 (RBF on dummies) and 4.4 (Lin)
are 3-fold cross-validation. The library of Table 4.5 is eight similarity kernels times the costs of Table 4.4, 88
machines: a third of the rows trains, a third selects, a third tests. `--alone` also trains the 88 one by one and gives
the ratio of times. `--times 64` multiplies the costs of the similarities, whose best values depend on the rows.

TotalAccuracy and PosAccuracy (of the positive rows) are of decisions at probability one half; Total* and Pos* of
decisions at the share of positive rows, as those of the thesis' ensembles seem to be. Different from the thesis:
frequencies of levels are those of training rows alone, and the forest of Table 4.6 is ours. As in the thesis, the
forest that selects columns has seen all rows.
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from harness import data_folder

import mercer
from mercer.combine.ensemble.thirds import ThirdsResult, train_thirds
from mercer.errors import MercerWarning
from mercer.gallery import FigureTable
from mercer.gallery.yao.protocol import ENSEMBLES, FORWARD, chapter_4, library, prepared
from mercer.table import Table

Labelled = tuple[Table, np.ndarray]


def generated(rows: int, seed: int = 0) -> Labelled:
    """190 columns of numbers, 147 of them nearly empty, 40 of levels, 2 of them empty; one row in 13 is positive."""
    rng = np.random.default_rng(seed)
    cells: dict[str, Any] = {}
    hidden = rng.normal(size=(rows, 6))
    for j in range(190):
        skewed = np.exp(hidden[:, j % 6] * (j % 3) / 2 + rng.normal(size=rows))
        empty = rng.random(rows) < (0.975 if j >= 43 else rng.choice([0.0, 0.1, 0.4]))
        cells[f"Var{j + 1}"] = np.where(empty, np.nan, np.round(7 * skewed) * (1 + j % 5))
    for j in range(40):
        sizes = rng.zipf(1.5 + rng.random(), size=rows) % 400
        numbers = np.where(rng.random(rows) < 0.5, sizes, np.floor(3 * hidden[:, j % 6]) % 50)
        levels = np.char.add("v", numbers.astype(int).astype(str))
        cells[f"Var{j + 191}"] = np.where(rng.random(rows) < 0.1 if j >= 2 else True, None, levels.astype(object))
    odds = hidden[:, 0] + 0.6 * hidden[:, 0] * hidden[:, 1] + 1.2 * np.abs(hidden[:, 2]) + rng.normal(size=rows) / 2
    return mercer.read_table(pl.DataFrame(cells, nan_to_null=True)), odds > np.quantile(odds, 12 / 13)


def census(rows: int) -> Labelled:
    table = mercer.read_table(data_folder() / "census_income_kdd" / "census_income_1994_1995_train.csv.gz")
    names = [c.name for c in table.schema]
    return table.select(names[:-1]), np.array([label == "50000+." for label in table.column(names[-1])])


def upselling(rows: int) -> Labelled:
    path = data_folder() / "kddcup09_orange" / "KDDCup09_upselling_dataset.csv"
    cells = pl.read_csv(path, has_header=False)
    return mercer.read_table(cells[:, :-1]), cells[:, -1].to_numpy() == 1


def kdd_cup(cells: Path, labels: Path) -> Labelled:
    """The files of the cup: tab-separated cells under a header, and a label of -1 or 1 in each line of the other."""
    table = mercer.read_table(pl.read_csv(cells, separator="\t", infer_schema_length=None))
    return table, np.loadtxt(labels) == 1


SOURCES: dict[str, Callable[[int], Labelled]] = {"generated": generated, "census": census, "upselling": upselling}


def shown(tables: Iterable[FigureTable]) -> None:
    for table in tables:
        print(f"\n{table.title}\n" + " " * 22 + "".join(f"{name:>15}" for name in table.columns))
        for name, *cells in table.cells():
            print(f"{name:<22}" + "".join(f"{cell:>15}" for cell in cells))


def above_members(found: ThirdsResult) -> str:
    """The mean over the folds, and whether that of any one machine reaches it."""
    ensemble, members = found.ensemble_scores.mean(), found.member_scores.mean(axis=0)
    best = int(members.argmax())
    word = "above" if ensemble > members[best] else "NOT above"
    return (
        f"{found.metric}: ensemble {ensemble:.4f}, {word} every member (best {found.names[best]}: {members[best]:.4f})"
    )


def timed(action: Callable[[], Any]) -> tuple[Any, float, float]:
    wall, cpu = time.perf_counter(), time.process_time()
    found = action()
    return found, time.perf_counter() - wall, time.process_time() - cpu


def one_by_one(models: Sequence[tuple[str, Any]], levels: Table, y: np.ndarray, parts: Sequence[np.ndarray]) -> None:
    """Every machine fitted to each third by itself, and the other two predicted."""
    for r in range(3):
        train, tests = parts[r], [levels.take(parts[(r + k) % 3]) for k in (1, 2)]
        for _, model in models:
            fitted = model.fit(levels.take(train), y[train])
            for rows in tests:
                fitted.predict_proba(rows)


def main() -> None:
    read = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    read.add_argument("source", nargs="?", choices=SOURCES, default="generated")
    read.add_argument("--rows", type=int, default=10_000, help="drawn at random where there are more")
    read.add_argument("--cells", type=Path, help="the file of cells of KDD Cup 2009, small")
    read.add_argument("--labels", type=Path, help="and its labels")
    read.add_argument("--times", type=float, default=1.0, help="multiplies the costs of Table 4.4")
    read.add_argument("--alone", action="store_true", help="train the 88 machines one by one too")
    read.add_argument("--only-ensemble", action="store_true", help="leave Tables 4.3, 4.4 and 4.6 out")
    given = read.parse_args()
    warnings.simplefilter("ignore", MercerWarning)  # Lin, IOF and OF need not be positive semi-definite
    table, y = kdd_cup(given.cells, given.labels) if given.cells else SOURCES[given.source](given.rows)
    drawn = np.sort(np.random.default_rng(0).permutation(len(y))[: given.rows])
    table, y = table.take(drawn), y[drawn]
    rows = prepared(table, y)
    levels = rows.levels
    print(f"{len(table):,} rows, {len(table.schema)} columns, {len(levels.schema)} selected")
    trained, wall, cpu = timed(lambda: train_thirds(library(given.times), levels, y))
    assert not trained.errors, trained.errors
    if not given.only_ensemble:
        shown(chapter_4(rows, y, given.times, trained).tables())
    for metric in ENSEMBLES.values():
        print(above_members(trained.select(metric, forward=FORWARD)))
    n = len(trained.names)
    print(
        f"{n} machines on {len(y):,} rows, {len(levels.schema)} columns, three rotations: {wall:.1f} s, cpu {cpu:.1f} s"
    )
    if given.alone:
        _, wall_alone, cpu_alone = timed(lambda: one_by_one(library(given.times, None), levels, y, trained.parts))
        print(f"one by one: {wall_alone:.1f} s, cpu {cpu_alone:.1f} s")
        print(f"ratio of times: {wall_alone / wall:.1f}, cpu {cpu_alone / cpu:.1f}")


if __name__ == "__main__":
    main()
