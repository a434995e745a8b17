"""Which system gives the best model in the same time: `mercer train`, AutoGluon, LightGBM by Optuna, or a forest?

    MERCER_RIVALS=python-of-the-rivals python benchmarks/automl.py DATA [TABLE ...]
        [--quick] [--seconds 60] [--seeds 1] [--first-seed 0] [--system mercer ...] [--results automl.jsonl]

A quarter of the rows, drawn by the seed, is the test table, which no system sees; each gets the same CSV files, one
system at a time, in a process of its own, and is told the score where it can be told. Scores: area under the ROC curve
(mean of each class against the rest when there are several), R^2 of numbers. One line per table and seed, then mean
ranks and how often mercer is ahead, apart for the tables on which settings of `mercer train` were chosen (CHOSEN_ON)
and for the others. --quick: six of those held back, 30 s each, about 12 minutes in all.

Each run is appended to the file --results as it ends; runs that the file has, with the same seconds, are not repeated.
One that failed is not kept, so that it is tried again.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.metrics import r2_score, roc_auc_score
from sklearn.model_selection import train_test_split

SYSTEMS = ("mercer", "autogluon", "lightgbm", "forest")
CHOSEN_ON = frozenset(
    {"telco", "german", "titanic", "ames", "abalone", "wine", "mammography", "census", "adult", "california"}
)
QUICK = ("heart", "vehicle", "page-blocks", "car", "fraud", "letter")
FAR = 0.005  # a loss of AUC that counts
MOST_ROWS = 40_000


@dataclass(frozen=True)
class Dataset:
    """Where a table is, how pandas reads it, and its target: a name, or the place of a column without a name."""

    path: str
    target: str | int = -1
    options: dict[str, Any] = field(default_factory=lambda: {"header": None})
    is_regression: bool = False
    drop: tuple[str, ...] = ()


NAMED: dict[str, Any] = {}
SPACED = {"header": None, "skipinitialspace": True}
TABLES = {
    "telco": Dataset("telco_churn/Telco-Customer-Churn.csv", "Churn", NAMED),
    "german": Dataset("german_credit/german.data", -1, {"header": None, "sep": r"\s+"}),
    "titanic": Dataset("titanic/train.csv", "Survived", NAMED),
    "ames": Dataset("ames_housing/AmesHousing.csv", "SalePrice", NAMED, is_regression=True, drop=("Order", "PID")),
    "abalone": Dataset("abalone/abalone.csv", -1, is_regression=True),
    "wine": Dataset("wine_quality/winequality-white.csv", -1, is_regression=True),
    "mammography": Dataset("mammography/mammography.csv"),
    "adult": Dataset("adult/adult.data", -1, {**SPACED, "na_values": "?"}),
    "census": Dataset("census_income_kdd/census_income_1994_1995_train.csv.gz", -1, SPACED),
    "fraud": Dataset("creditcard_fraud/union_random_28402.csv.gz", "Class", NAMED),
    "heart": Dataset("heart_cleveland/processed.cleveland.data", -1, {"na_values": "?"}),
    "votes": Dataset("house_votes_84/house-votes-84.data", 0, {"header": None, "na_values": "?"}),
    "upselling": Dataset("kddcup09_orange/KDDCup09_upselling_dataset.csv"),
    "car": Dataset("car/car.data", "classification", NAMED),
    "california": Dataset("california_housing/housing.csv", "median_house_value", NAMED, is_regression=True),
    "crime": Dataset("uscrime/MASS_UScrime.csv", "y", NAMED, is_regression=True),
    "letter": Dataset("letter/letter-recognition.data", "Letter", NAMED),
    "page-blocks": Dataset("keel_imbalanced/page-blocks0.dat", -1, SPACED),
    "vehicle": Dataset("keel_imbalanced/vehicle1.dat", -1, SPACED),
}


def read(data: Path, name: str, seed: int) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Training and test rows; the target is the column "target"."""
    asked = TABLES[name]
    frame = pd.read_csv(data / asked.path, **asked.options).drop(columns=list(asked.drop))
    target = frame.columns[asked.target] if isinstance(asked.target, int) else asked.target
    frame.columns = ["target" if c == target else str(c) if isinstance(c, str) else f"c{c}" for c in frame.columns]
    frame = frame.dropna(subset=["target"]).drop_duplicates()
    if name == "heart":
        frame["target"] = (frame["target"] > 0).astype(int)  # ill or not, as the table is used
    if not asked.is_regression:
        frame["target"] = "is " + frame["target"].astype(str)
        frame = frame[frame.groupby("target")["target"].transform("size") >= 8]
    if len(frame) > MOST_ROWS:
        frame = frame.sample(MOST_ROWS, random_state=seed)
    split = None if asked.is_regression else frame["target"]
    return train_test_split(frame, test_size=0.25, random_state=seed, stratify=split)


def scored(predicted: Path, test: pd.DataFrame, is_regression: bool) -> float:
    """AUC or R^2 of a CSV file with a column of numbers, or a column of probabilities per class."""
    with predicted.open() as lines:
        names = next(csv.reader(lines))
        values = np.array([[float(v) for v in line] for line in csv.reader(lines)])
    if is_regression:
        return float(r2_score(test["target"], values[:, 0]))
    values = values[:, np.argsort(names)]
    if len(names) == 2:
        return float(roc_auc_score(test["target"], values[:, 1]))
    return float(roc_auc_score(test["target"], values / values.sum(axis=1, keepdims=True), multi_class="ovr"))


def run(system: str, name: str, seed: int, data: Path, seconds: float) -> tuple[float, float]:
    """Score on the test table, and seconds from start to predictions."""
    is_regression = TABLES[name].is_regression
    train, test = read(data, name, seed)
    python = sys.executable if system == "mercer" else os.environ.get("MERCER_RIVALS", sys.executable)
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        train.to_csv(place / "train.csv", index=False)
        test.drop(columns="target").to_csv(place / "test.csv", index=False)
        settings = json.dumps({"seconds": seconds, "is_regression": is_regression, "seed": seed})
        command = [python, str(Path(__file__).parent / "automl_rivals.py"), system, settings, folder]
        start = time.perf_counter()
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
        taken = time.perf_counter() - start
        if done.returncode:
            print(f"{system} on {name}: {done.stderr.strip().splitlines()[-1]}", flush=True)
            return float("nan"), taken
        return scored(place / "predicted.csv", test, is_regression), taken


def summary(scores: dict[tuple[str, int], dict[str, float]], title: str) -> None:
    """Mean ranks, and mercer against each other system."""
    if not scores:
        return
    frame = pd.DataFrame(scores).T
    ranks = frame.rank(axis=1, ascending=False).mean()
    names = ", ".join(dict.fromkeys(name for name, _ in scores))
    print(
        f"\n{title} ({names}): {len(frame)} runs; mean rank " + ", ".join(f"{s} {ranks[s]:.2f}" for s in frame.columns)
    )
    for other in frame.columns:
        if other != "mercer" and "mercer" in frame:
            gap = (frame["mercer"] - frame[other]).dropna()
            error = gap.std(ddof=1) / np.sqrt(len(gap)) if len(gap) > 1 else float("nan")
            print(
                f"  mercer against {other}: ahead in {(gap > 0).sum()} of {len(gap)}, behind by more than {FAR} in "
                f"{(gap < -FAR).sum()}, mean difference {gap.mean():+.4f} (standard error {error:.4f})"
            )


class Results:
    """Scores and seconds of runs, each a line of a file."""

    def __init__(self, path: Path) -> None:
        self.path = path
        lines = path.read_text().splitlines() if path.exists() else []
        self.known = {self._key(one): (one["score"], one["taken"]) for one in map(json.loads, lines)}

    @staticmethod
    def _key(run: dict[str, Any]) -> tuple[Any, ...]:
        return tuple(run[name] for name in ("system", "table", "seed", "seconds"))

    def run(self, system: str, name: str, seed: int, data: Path, seconds: float) -> tuple[float, float]:
        """As `run`, or as the file has it."""
        asked = {"system": system, "table": name, "seed": seed, "seconds": seconds}
        if self._key(asked) not in self.known:
            score, taken = run(system, name, seed, data, seconds)
            self.known[self._key(asked)] = score, taken
            if not np.isnan(score):
                with self.path.open("a") as lines:
                    lines.write(json.dumps({**asked, "score": score, "taken": round(taken, 1)}) + "\n")
        return self.known[self._key(asked)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("tables", nargs="*")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--seconds", type=float)
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--first-seed", type=int, default=0)
    parser.add_argument("--system", action="append", choices=SYSTEMS)
    parser.add_argument("--results", type=Path, default=Path("automl.jsonl"))
    asked = parser.parse_args()
    tables = asked.tables or (QUICK if asked.quick else list(TABLES))
    seconds = asked.seconds or (30.0 if asked.quick else 60.0)
    if unknown := set(tables) - set(TABLES):
        parser.error(f"no table {', '.join(sorted(unknown))}; there are {', '.join(TABLES)}")
    systems, results = asked.system or list(SYSTEMS), Results(asked.results)
    print("| table, seed | " + " | ".join(systems) + " |\n|---|" + "---|" * len(systems), flush=True)
    scores: dict[tuple[str, int], dict[str, float]] = {}
    for name in tables:
        for seed in range(asked.first_seed, asked.first_seed + asked.seeds):
            found = {s: results.run(s, name, seed, asked.data, seconds) for s in systems}
            scores[name, seed] = {s: score for s, (score, _) in found.items()}
            cells = " | ".join(f"{score:.4f} ({taken:.0f} s)" for score, taken in found.values())
            print(f"| {name}, {seed} | {cells} |", flush=True)
    summary({k: v for k, v in scores.items() if k[0] not in CHOSEN_ON}, "Tables held back")
    summary({k: v for k, v in scores.items() if k[0] in CHOSEN_ON}, "Tables on which settings were chosen")


if __name__ == "__main__":
    main()
