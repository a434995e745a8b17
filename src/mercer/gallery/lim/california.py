"""California housing: support vector regression, linear and RBF.

    min ½ |w|² + C Σ ζᵢ   with  |yᵢ − f(xᵢ)| ≤ ε + ζᵢ,   ε = 0.56, C = 25

Median house values of 20,640 blocks, in 100,000 dollars, from eight columns. Blocks at the cap of 500,000 dollars and
those with ten people or more a household are left out, which leaves the 19,615 rows that the text prints; columns are
scaled to [0, 1]. The split with seed 50 gives the figures of the text, so it must be the text's own.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn.model_selection import train_test_split

import mercer
from mercer.gallery import Comparison, Picture, panels, tables

PASSAGE = "section 4.5, support vector regression"
PLACE = 15
NEEDS = (tables.CALIFORNIA,)
PRINTED = {"linear": ("0.6197", "0.6214"), "rbf": ("0.7286", "0.7357")}


def run(table: Any) -> Iterator[Comparison | Picture]:
    homes, people = table.column("households"), table.column("population")
    per_home = [table.column(name) / homes for name in ("total_rooms", "total_bedrooms")]
    X = np.column_stack([table.column("median_income"), table.column("housing_median_age"), *per_home, people,
                         people / homes, table.column("latitude"), table.column("longitude")])  # fmt: skip
    value = table.column("median_house_value") / 100_000
    kept = (value < 5) & (people / homes < 10)
    yield Comparison("rows after outliers and capped values", "19615", int(kept.sum()))
    scaled = np.asarray(mercer.encode.MinMax().fit_transform(X[kept]))
    train, test, y, truth = train_test_split(scaled, value[kept], test_size=0.2, random_state=50)
    yield Comparison("rows to train", "15692", len(train))
    yield Comparison("rows to test", "3923", len(test))

    figure, axes = panels(1, 2, (11, 4.6))
    for ax, (kernel, printed) in zip(axes, PRINTED.items(), strict=True):
        model = mercer.SVR(kernel=kernel, epsilon=0.56, C=25).fit(train, y)
        for rows, target, which, figure_of_text in ((train, y, "train", printed[0]), (test, truth, "test", printed[1])):
            yield Comparison(f"{kernel}: R² on the rows to {which}", figure_of_text, model.score(rows, target))
        mercer.plot.predicted_against_actual(model, test, truth, ax=ax)
        ax.set(xlim=(-1.2, 7), ylim=(-1.2, 7), aspect="equal")
        ax.set_title(
            f"{kernel} kernel: R² {model.score(test, truth):.2f} on the test rows", loc="left", fontsize="medium"
        )
    yield Picture("predictions", figure, "Predicted against actual house values of the test rows, linear kernel on "
                  "the left and RBF kernel on the right, which bends less at high values and has no "
                  "prediction far off.")  # fmt: skip
