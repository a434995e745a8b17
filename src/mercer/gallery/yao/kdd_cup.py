"""The thesis on its own files: who buys an upgrade, in KDD Cup 2009.

    drop columns with > 95 % missing cells · medians · 20 commonest values · the 40 best columns by either measure

Of the 50,000 rows 10,000 are drawn, so that it ends in minutes; benchmarks/thesis.py takes them all. Figures agree
within two standard errors of the mean of three folds.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from mercer.gallery import Comparison, FigureTable, Picture, tables
from mercer.gallery.yao.protocol import chapter_4, explained, prepared

PASSAGE = "chapter 4"
PLACE = 8
NEEDS = (tables.ORANGE_CELLS, tables.UP_SELLING)
ROWS = 10_000
WHY = "a fifth of its rows, and a forest of another make"
SLIP = "43 columns of numbers and 38 of categories that are left make 81"
TOP = {"by accuracy": ("Var126", "Var28", "Var226", "Var210", "Var218"),
       "by Gini": ("Var126", "Var28", "Var211", "Var226", "Var206")}  # Table 4.2  # fmt: skip


def run(cells: Any, labels: Any) -> Iterator[Comparison | FigureTable | Picture]:
    drawn = np.sort(np.random.default_rng(0).permutation(len(cells))[:ROWS])
    bought = labels.column("column_1")[drawn] == "1"
    rows = prepared(cells.take(drawn), bought)
    numeric, found = len(rows.filled.schema.numeric_names), rows.selection
    yield explained(Comparison("columns of numbers that are left (section 4.1)", "43", numeric), WHY)
    yield Comparison("columns left (section 4.2)", "121", len(rows.filled.schema), slip=SLIP)
    yield explained(Comparison("columns selected", "51", len(found.selected)), WHY)
    for name, ranked in (("by accuracy", found.by_accuracy), ("by Gini", found.by_impurity)):
        for place, printed in enumerate(TOP[name]):
            yield explained(Comparison(f"place {place + 1} {name} (Table 4.2)", printed, ranked[place]), WHY)
    results = chapter_4(rows, bought)
    yield from results.beside(WHY)
    yield from (explained(claim, WHY) for claim in results.orders({}))
    yield from results.tables()
    yield results.curves("ROC and precision-recall curves of five methods in three folds.")
