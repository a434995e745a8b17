"""What does the ensemble of `mercer train` gain over its best learner, on rows that neither has seen?

    python benchmarks/ensemble.py DATA [TABLE ...] [--seeds 1]

Tables as in automl.py, each dealt by the seed; a table is trained on as a user would, and a line tells the score of the
best learner and of the ensemble in cross-validation (its selection inside) and on the held-out rows, the gain there
with its 95 % interval, which model is kept, which simpler one is within one standard error, and the seconds.
Tables on which settings were chosen (CHOSEN_ON) come first, then the others.
"""

from __future__ import annotations

import argparse
import time
import warnings
from pathlib import Path

from automl import CHOSEN_ON, TABLES, read

import mercer
from mercer.evaluation.run.records import Entry


def line(data: Path, name: str, seed: int) -> str:
    """One table, trained on and told."""
    rows, _ = read(data, name, seed)
    start = time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        result = mercer.train(rows, "target", task="regression" if TABLES[name].is_regression else None, seed=seed)
    seconds, found = time.perf_counter() - start, result.comparison
    key = found.metric.key
    ensemble = next((e for e in found.leaderboard if e.key == "ensemble"), None)
    best = next(e for e in found.leaderboard if e.key != "ensemble")
    told = f"{name:12s} {len(rows):6d} rows  {key:8s} {best.title:24s} {_scores(best, key)}"
    if ensemble is None or ensemble.error is not None:
        return f"{told}  no ensemble  {seconds:.0f} s"
    gain = next(one for one in found.explanations if one.key == "ensemble").details.gain_held_out
    simple = found.simpler or "none"
    interval = "" if gain.low is None else f" [{gain.low:+.4f}, {gain.high:+.4f}]"
    return (
        f"{told}  ensemble {_scores(ensemble, key)}  gain {gain.value:+.4f}{interval}  "
        f"kept: {found.best.title}; simpler: {simple}  {seconds:.0f} s"
    )


def _scores(entry: Entry, key: str) -> str:
    return f"{entry.cross_validated[key].value:.4f} / {entry.held_out[key].value:.4f}"


def main() -> None:
    """Each table in turn."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("tables", nargs="*", default=list(TABLES))
    parser.add_argument("--seeds", type=int, default=1)
    given = parser.parse_args()
    for title, wanted in (("settings were chosen on these", True), ("not used to choose anything", False)):
        print(f"{title}:", flush=True)
        for name in given.tables:
            if (name in CHOSEN_ON) is wanted:
                for seed in range(given.seeds):
                    print(line(given.data, name, seed), flush=True)


if __name__ == "__main__":
    main()
