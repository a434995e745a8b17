"""Naive Bayes on ten tax returns, with and without Laplace smoothing.

    P(A = a | c) = N_ac / N_c        with Laplace (N_ac + 1) / (N_c + number of levels of A)

None of the three cheaters had a refund, so a return with a refund gets probability 0 of cheating, whatever else it
says. Laplace's rule counts every level once more; the record (Yes, Single, 80K) stays honest, by less.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

import mercer
from mercer.gallery import Comparison, Picture, panels
from mercer.gallery.small_tables import tax_returns

PASSAGE = "naive Bayes classifier"
PLACE = 11
CUT = "the text cuts digits off: 0.00629 is printed as 0.0062"
PLAIN = {("Refund", "Yes", "No"): "3/7", ("Refund", "Yes", "Yes"): "0", ("Status", "Single", "No"): "2/7",
         ("Status", "Single", "Yes"): "2/3"}  # fmt: skip
LAPLACE = {("Refund", "Yes", "No"): "4/9", ("Refund", "No", "No"): "5/9", ("Refund", "Yes", "Yes"): "1/5",
           ("Refund", "No", "Yes"): "4/5", ("Status", "Single", "No"): "3/10", ("Status", "Divorced", "No"): "2/10",
           ("Status", "Married", "No"): "5/10", ("Status", "Single", "Yes"): "3/6",
           ("Status", "Divorced", "Yes"): "2/6", ("Status", "Married", "Yes"): "1/6"}  # fmt: skip


def run() -> Iterator[Comparison | Picture]:
    rows, cheat = tax_returns()
    record = {"Refund": ["Yes"], "Status": ["Single"], "Income": [80]}
    plain, laplace = (mercer.NaiveBayes(smoothing=rule).fit(rows, cheat) for rule in ("none", "laplace"))
    tables, smoothed = plain.tables(), laplace.tables()
    yield Comparison("mean of all incomes", "104", float(np.mean(rows["Income"])))
    yield Comparison("sample variance of all incomes", "1874", float(np.var(rows["Income"], ddof=1)),
                     slip="divided by 10 rows; the variances of the classes are divided by one less")  # fmt: skip
    for (column, level, given), printed in PLAIN.items():
        yield Comparison(f"P({column} = {level} | {given})", printed, tables.value(column, level, given))
    single = tables.value("Status", "Single", "Yes")
    yield Comparison("P(Single | Yes) in the summary", "2/7", single, slip="2 of the 3 cheaters; another page has 2/3")
    yield Comparison("P(No)", "0.3", tables.prior[0], slip="printed the wrong way round: 7 of 10 are No")

    income = mercer.NaiveBayes(priors="uniform").fit({"Income": rows["Income"]}, cheat)
    no, yes = np.exp(income.predict_joint_log_proba({"Income": [80]})[0]) / 0.5
    yield Comparison("p(income = 80 | No)", "0.0062", no, differs=CUT)
    yield Comparison("p(income = 80 | Yes)", "0.01", yes)
    joint, smooth = (np.exp(model.predict_joint_log_proba(record)[0]) for model in (plain, laplace))
    yield Comparison("P(X | No), X = (Yes, Single, 80K)", "0.00075", joint[0] / 0.7, differs=CUT)
    yield Comparison("P(No) P(X | No)", "0.0005", joint[0])
    yield Comparison("P(Yes) P(X | Yes)", "0", joint[1])
    for (column, level, given), printed in LAPLACE.items():
        yield Comparison(f"Laplace: P({column} = {level} | {given})", printed, smoothed.value(column, level, given))
    yield Comparison("Laplace: P(X | Yes)", "0.001", smooth[1] / 0.3)
    yield Comparison("Laplace: P(X | No) P(No)", "0.0005", smooth[0], differs=CUT)
    yield Comparison("Laplace: P(X | Yes) P(Yes)", "0.0003", smooth[1])
    for name, model in (("none", plain), ("Laplace", laplace)):
        yield Comparison(f"class of X, smoothing: {name}", "No", str(model.predict(record)[0]))

    figure, axes = panels(1, 2, (12, 2.8))
    for ax, model in zip(axes, (plain, laplace), strict=True):
        mercer.plot.bayes_product(model, record, ax=ax)
    yield Picture("products", figure, "The product for (Yes, Single, 80K) without smoothing, where one factor is 0, "
                  "and with Laplace's rule.")  # fmt: skip
