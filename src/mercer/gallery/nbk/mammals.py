"""Mammals by four features.

    P(A | M) P(M) = prod_j P(a_j | M) · P(M)

Which animal gives birth, cannot fly, lives in water and has no legs? Twenty animals give the counts; the features are
taken as independent given the class.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

import mercer
from mercer.gallery import Comparison, Picture, panels
from mercer.gallery.small_tables import mammals

PASSAGE = "example of a naive Bayes classifier"
PLACE = 5


def run() -> Iterator[Comparison | Picture]:
    rows, kind = mammals()
    model = mercer.NaiveBayes(smoothing="none").fit(rows, kind)
    animal = {"Give birth": ["yes"], "Can fly": ["no"], "Live in water": ["yes"], "Have legs": ["no"]}

    joint = np.exp(model.predict_joint_log_proba(animal)[0])
    given = joint / model.class_prior_
    yield Comparison("P(A | mammal)", "0.06", given[0])
    yield Comparison("P(A | not a mammal)", "0.0042", given[1])
    yield Comparison("P(A | mammal) P(mammal)", "0.021", joint[0])
    yield Comparison("P(A | not a mammal) P(not a mammal)", "0.0027", joint[1])
    yield Comparison("class of the animal", "mammal", str(model.predict(animal)[0]))

    figure, axes = panels(2, 2, (10, 6.6))
    for column, ax in zip(rows, axes.flat, strict=True):
        mercer.plot.likelihood_table(model, column, ax=ax)
    yield Picture("likelihoods", figure, "P(feature | class) of the four features, with the number of animals behind "
                  "each bar: giving birth tells most.")  # fmt: skip
    figure, ax = panels(size=(6, 2.8))
    mercer.plot.bayes_product(model, animal, ax=ax)
    yield Picture("product", figure, "The product for the animal, factor by factor, and the posterior.")
