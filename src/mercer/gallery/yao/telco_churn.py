"""The methods of the thesis on who leaves a phone company.

    RBF, Lin, eight similarities, ensembles of them on AUC and on AP, random forest;   3 folds

The protocol is that of chapter 4. The table is another one, of which 27 % are positive (7 % in the thesis): its figures
cannot come out, but what it finds of its methods may. Numbers are cut into 20 intervals with as many rows each, since
charges in cents have no common values, and costs are 512 times those of Table 4.4, so that the best lies inside.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from mercer.encode import Bins
from mercer.gallery import Comparison, FigureTable, Picture, tables
from mercer.gallery.yao.protocol import FEWER_ROWS, chapter_4, prepared

PASSAGE = "chapter 4, Tables 4.3 to 4.6"
PLACE = 4
NEEDS = (tables.TELCO,)
WHY = {"EnsembleAUC above Lin kernel by AUC": FEWER_ROWS, "EnsembleAP above Lin kernel by AP": FEWER_ROWS,
       "RandomForest above EnsembleAUC by AUC": "sums over columns are enough here; deep trees add noise"}  # fmt: skip


def run(table: Any) -> Iterator[Comparison | FigureTable | Picture]:
    churn = table.column("Churn") == "Yes"
    found = chapter_4(prepared(table.drop(["Churn"]), churn, Bins(20)), churn, times=512)
    yield from found.orders(WHY)
    yield from found.tables()
    yield found.curves("Curves of five methods in three folds: the kernels and the ensembles can hardly be told apart, "
                       "the forest is below them for the most part.")  # fmt: skip
