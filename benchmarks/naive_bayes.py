"""Is naive Bayes at least three times as fast as scikit-learn's, within 1.5 times the array's memory?"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
from harness import Row, best, peak_extra, unpacked
from sklearn.naive_bayes import GaussianNB

import mercer
from mercer.table import open_source


def rows(data: Path) -> list[Row]:
    with unpacked(data / "covtype" / "covtype.csv.gz") as path:
        cells = pl.read_csv(path)
    y = cells["Cover_Type"].to_numpy()
    x = np.ascontiguousarray(cells.drop("Cover_Type").to_numpy().astype(np.float64))
    ours, theirs = mercer.NaiveBayes(ddof=0), GaussianNB()
    name = f"covtype {x.shape[0]:,} x {x.shape[1]}"
    fit = Row(
        f"NaiveBayes.fit, {name}", best(lambda: ours.fit(x, y)), best(lambda: theirs.fit(x, y)), "GaussianNB", "3x"
    )
    proba = Row(
        f"NaiveBayes.predict_proba, {name}", best(lambda: ours.predict_proba(x)), best(lambda: theirs.predict_proba(x)),
        "GaussianNB", "3x",
    )  # fmt: skip
    extra = peak_extra(lambda: mercer.NaiveBayes().fit(x, y).predict_proba(x))
    memory = Row(f"peak extra memory of both, {name}", extra / 1e6, x.nbytes / 1e6, "the array itself", "0.67x", "MB")
    return [fit, proba, memory, *_census(data)]


def _census(data: Path) -> list[Row]:
    with unpacked(data / "census_income_kdd" / "census_income_1994_1995_train.csv.gz") as path:

        def whole() -> None:
            source = open_source(path)
            target = source.pop("-1").to_numpy()
            table = mercer.read_table(source)
            mercer.NaiveBayes().fit(table, target).predict(table)

        csv = best(lambda: pl.read_csv(path, has_header=False), 3)
        return [Row("read, fit and predict, census 199,523 x 41 mixed", best(whole, 3), csv, "polars.read_csv", "0.2x")]
