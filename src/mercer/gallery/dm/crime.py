"""Crime in 47 states: the table of a multiple regression, with stars.

    t = ŵⱼ / SE(ŵⱼ),     p = P(|T| > |t|) with n − k − 1 degrees of freedom

Each row of the table tests whether a coefficient is 0. Expenditure on police goes with crime at p < 0.001, which does
not make it a cause. The text has offences per million divided by ten, so the target is divided by ten here too.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

import mercer
from mercer.gallery import Comparison, Picture, panels, tables

PASSAGE = "interpretation and significance of coefficients"
PLACE = 4
NEEDS = (tables.CRIME,)
NAMES = {"M": "Age", "So": "Southern State", "Ed": "Education", "Po1": "Expenditures", "LF": "Labor",
         "M.F": "Number of Males", "Pop": "Population", "U1": "Unemployment (14-24)", "U2": "Unemployment (25-39)",
         "GDP": "Wealth"}  # fmt: skip
PRINTED = """-589.39 167.59 -3.51 0.001 | 1.04 0.45 2.33 0.025 | 11.29 13.24 0.85 0.399 | 1.18 0.68 1.7 0.093
    | 0.96 0.25 3.86 0.000 | 0.11 0.15 0.69 0.493 | 0.30 0.22 1.36 0.181 | 0.09 0.14 0.65 0.518
    | -0.68 0.48 -1.4 0.165 | 2.15 0.95 2.26 0.030 | -0.08 0.09 -0.91 0.367"""
STARS = {"(Intercept)": "**", "Age": "*", "Expenditures": "***", "Unemployment (25-39)": "*"}


def run(table: Any) -> Iterator[Comparison | Picture]:
    columns = {name: np.asarray(table.column(code), dtype=float) for code, name in NAMES.items()}
    model = mercer.LinearRegression().fit(columns, table.column("y") / 10)
    found = model.summary().coefficients
    for k, line in enumerate(PRINTED.split("|")):
        name = found.names[k]
        ours = (found.estimate[k], found.error[k], found.statistic[k], found.p_value[k])
        for what, printed, value in zip(("estimate", "standard error", "t", "p"), line.split(), ours, strict=True):
            last_digit = 10.0 ** -len(printed.partition(".")[2])  # the text cuts digits off: -3.517 is -3.51
            yield Comparison(f"{name}: {what}", printed, value, last_digit)
        yield Comparison(f"{name}: stars", STARS.get(name, ""), found.stars[k].strip("."))

    figure, ax = panels(size=(7, 4.6))
    deviations = np.array([cells.std(ddof=1) for cells in columns.values()])
    mercer.plot.coefficients(model, standardised=deviations, ax=ax)
    yield Picture("coefficients", figure, "Effect of one standard deviation of each column on the crime rate, with 95 "
                  "% intervals: expenditures stand out.")  # fmt: skip
