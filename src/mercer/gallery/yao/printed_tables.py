"""Labels counted, and the thesis' own arithmetic.

    Table 4.1: frequency of −1 and 1    Table 4.5: Avg is the mean of three folds    Table 4.6: best of each column

The labels of all 50,000 customers are counted again; Tables 4.5 and 4.6 are worked out from what the thesis prints.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from mercer.gallery import Comparison, Picture, colour, label, panels, tables

PASSAGE = "Tables 4.1, 4.5 and 4.6"
PLACE = 6
NEEDS = (tables.CHURN, tables.APPETENCY, tables.UP_SELLING)
FREQUENCIES = {"churn": ("46328", "3672"), "appetency": ("49110", "899"), "up-selling": ("46318", "3682")}
NAMES = ("AUC", "TotalAccuracy", "PosAccuracy", "Precision", "#model")
ON_AUC = [
    (0.82552, 0.8977, 0.5229, 0.4132, 5),
    (0.8293, 0.7798, 0.6895, 0.4186, 8),
    (0.8294, 0.7186, 0.7565, 0.4388, 7),
]
ON_AP = [(0.8185, 0.9013, 0.5098, 0.4407, 5), (0.8229, 0.5460, 0.8954, 0.4302, 10), (0.8241, 0.6380, 0.8247, 0.4613, 7)]
AVERAGES = {"AUC": (ON_AUC, ("0.8281", "0.7987", "0.6563", "0.4235", "6.7")),
            "Precision": (ON_AP, ("0.8218", "0.6951", "0.7433", "0.4440", "7.3"))}  # fmt: skip
# As Table 4.6 has it, and the best of the column in Table 4.3 or 4.4.
BEST = {"RBF, TotalAccuracy": ("0.9338", 0.9344), "RBF, PosAccuracy": ("0.2293", 0.2293), "RBF, AP": ("0.3571", 0.3577),
        "Lin, TotalAccuracy": ("0.9405", 0.9405), "Lin, PosAccuracy": ("0.4021", 0.4011),
        "Lin, AP": ("0.4222", 0.4223)}  # fmt: skip


def run(*labels: Any) -> Iterator[Comparison | Picture]:
    figure, ax = panels(size=(7, 4.2))
    for k, ((name, printed), table) in enumerate(zip(FREQUENCIES.items(), labels, strict=True)):
        positive = table.column("column_1") == "1"
        counts = int((~positive).sum()), int(positive.sum())
        for value, source, count in zip((-1, 1), printed, counts, strict=True):
            slip = "with it there would be 50,009 customers" if (name, value) == ("appetency", 1) else ""
            yield Comparison(f"{name}: rows of label {value}", source, count, slip=slip)
        ax.barh(name, counts[1], color=colour(k))
        ax.text(counts[1] + 40, k, f"{counts[1]:,}, {100 * positive.mean():.1f} %", va="center")
    ax.set_xlim(0, 4700)
    label(ax, "Positive labels of 50,000 customers", "rows")

    for name, (folds, averages) in AVERAGES.items():
        for column, source, mean in zip(NAMES, averages, np.mean(folds, axis=0), strict=True):
            slip = "0.44407 was cut, not rounded" if (name, column) == ("Precision", "Precision") else ""
            yield Comparison(f"ensemble on {name}: mean {column} of its folds", source, float(mean), slip=slip)
    for name, (source, best) in BEST.items():
        slip = "" if float(source) == best else f"the best of its column is {best:.4f}"
        yield Comparison(f"{name}: best of its table", source, best, slip=slip)
    yield Picture("labels", figure, "How many of 50,000 customers left, bought a product and bought an upgrade: less "
                  "than one in thirteen each.")  # fmt: skip
