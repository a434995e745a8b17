"""Ten tax returns: probabilities from counts, a density for the income.

    P(c | x) ∝ P(c) · P(refund | c) · P(status | c) · N(income; mean_c, variance_c)

Levels are counted within each class, incomes get a normal density with the sample mean and variance of the class. A
level that a class never had makes the whole product 0.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

import mercer
from mercer.gallery import Comparison, Picture, panels
from mercer.gallery.small_tables import tax_returns

PASSAGE = "estimating probabilities from data, example of a naive Bayes classifier"
PLACE = 4
SLIP = "counted out of the 7 honest returns; of the 3 cheaters 2 are single and 1 is divorced"


def run() -> Iterator[Comparison | Picture]:
    rows, cheat = tax_returns()
    model = mercer.NaiveBayes(smoothing="none").fit(rows, cheat)
    tables = model.tables()

    yield Comparison("P(No)", "7/10", tables.prior[0])
    printed = {("Refund", "Yes", "No"): "3/7", ("Refund", "No", "No"): "4/7", ("Refund", "Yes", "Yes"): "0",
               ("Refund", "No", "Yes"): "1", ("Status", "Single", "No"): "2/7", ("Status", "Divorced", "No"): "1/7",
               ("Status", "Married", "No"): "4/7", ("Status", "Married", "Yes"): "0"}  # fmt: skip
    for (column, level, given), value in printed.items():
        yield Comparison(f"P({column} = {level} | {given})", value, tables.value(column, level, given))
    yield Comparison("P(Status = Single | Yes)", "2/7", tables.value("Status", "Single", "Yes"), slip=SLIP)
    yield Comparison("P(Status = Divorced | Yes)", "1/7", tables.value("Status", "Divorced", "Yes"), slip=SLIP)
    for given, mean, variance in (("No", "110", "2975"), ("Yes", "90", "25")):
        yield Comparison(f"mean income | {given}", mean, tables.value("Income", "mean", given))
        yield Comparison(f"variance of the income | {given}", variance, tables.value("Income", "variance", given))

    # The density of one income: a model of that column alone, without priors.
    income = mercer.NaiveBayes(priors="uniform").fit({"Income": rows["Income"]}, cheat)
    density = np.exp(income.predict_joint_log_proba({"Income": [120]})[0]) / 0.5
    yield Comparison("p(income = 120 | No)", "0.0072", density[0])

    record = {"Refund": ["No"], "Status": ["Married"], "Income": [120]}
    product = np.exp(model.predict_joint_log_proba(record)[0]) / tables.prior
    yield Comparison("P(X | No), X = (No, Married, 120K)", "0.0024", product[0],
                     differs="the text multiplies the density rounded to 0.0072")  # fmt: skip
    yield Comparison("P(X | Yes)", "0", product[1])
    yield Comparison("class of X", "No", str(model.predict(record)[0]))
    smoothed = mercer.NaiveBayes(smoothing="laplace").fit(rows, cheat).tables()
    yield Comparison("P(Married | Yes), the text's Laplace formula", "1/5", smoothed.value("Status", "Married", "Yes"),
                     slip="it adds the number of classes, 2; with the 3 levels probabilities add up to 1")  # fmt: skip

    figure, (left, right) = panels(1, 2, (11, 4))
    mercer.plot.likelihood_table(model, "Status", ax=left)
    mercer.plot.likelihood_table(model, "Income", ax=right)
    yield Picture("likelihoods", figure, "Likelihood of the marital status, with the counts behind each bar, and "
                  "normal densities of the income: cheaters cluster around 90K.")  # fmt: skip
    figure, ax = panels(size=(6, 2.6))
    mercer.plot.bayes_product(model, record, ax=ax)
    yield Picture("product", figure, "The product for the record (No, Married, 120K), factor by factor.")
