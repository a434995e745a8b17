"""Every learner of the leaderboard explained: the best in full, the others in short."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from mercer.estimators.bayes.naive_bayes import NaiveBayes
from mercer.estimators.bayes.regression import NaiveBayesRegressor
from mercer.estimators.common.baseline import MajorityClass, MeanTarget
from mercer.estimators.linear.linear_regression import LinearRegression
from mercer.estimators.linear.logistic_regression import LogisticRegression
from mercer.estimators.neighbours.local_regression import LocallyWeightedRegression
from mercer.estimators.neighbours.model import NeighbourModel
from mercer.estimators.perceptron.perceptron import Perceptron
from mercer.estimators.svm.classifier import KernelClassifier
from mercer.estimators.svm.svr import KernelRegressor
from mercer.estimators.tree.base import BaseDecisionTree
from mercer.evaluate.explanations.baseline import baseline_account
from mercer.evaluate.explanations.bayes import bayes_account, posterior_account
from mercer.evaluate.explanations.coefficients import coefficient_account
from mercer.evaluate.explanations.machine import machine_account
from mercer.evaluate.explanations.neighbours import neighbours_account
from mercer.evaluate.explanations.perceptron import perceptron_account
from mercer.evaluate.explanations.subject import Subject
from mercer.evaluate.explanations.tree import tree_account
from mercer.evaluate.run import Ground, Trial, in_words

Teller = Callable[[Subject], Any]

FAMILIES: Mapping[str, tuple[tuple[type, ...], Teller]] = {
    "coefficients": ((LinearRegression, LogisticRegression), coefficient_account),
    "tree": ((BaseDecisionTree,), tree_account),
    "local": ((LocallyWeightedRegression,), neighbours_account),
    "neighbours": ((NeighbourModel,), neighbours_account),
    "machine": ((KernelClassifier, KernelRegressor), machine_account),
    "perceptron": ((Perceptron,), perceptron_account),
    "bayes": ((NaiveBayes,), bayes_account),
    "posterior": ((NaiveBayesRegressor,), posterior_account),
    "baseline": ((MajorityClass, MeanTarget), baseline_account),
}


@dataclass(frozen=True, slots=True)
class Account:
    """One learner explained. `family` says what `body` is; '' when nothing is known to be said, with `error` why."""

    key: str
    title: str
    full: bool
    family: str
    body: Any
    error: str | None = None


def accounts(trials: Sequence[Trial], winner: Any, ground: Ground, columns: Sequence[str]) -> list[Account]:
    """An account for every learner that did not fail, best first; `winner` is the first one fitted to every row.

    columns : names of the columns, the most important first
    """
    found = []
    for place, trial in enumerate(trials):
        if trial.entry.error is None:
            found.append(_account(Subject.of(trial, ground, columns, winner if place == 0 else None)))
    return found


def _account(subject: Subject) -> Account:
    """An explanation that fails is left out with its error: the model itself is not in doubt."""
    entry = subject.trial.entry
    family, tell = family_of(subject.model)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # said once already, when the model was fitted
            body = tell(subject)
    except Exception as error:
        return Account(entry.key, entry.title, subject.full, "", None, in_words(error))
    return Account(entry.key, entry.title, subject.full, family if body is not None else "", body)


def family_of(model: Any) -> tuple[str, Teller]:
    """Which explanation suits a model; '' and none for a class that is not known here."""
    for family, (kinds, tell) in FAMILIES.items():
        if isinstance(model, kinds):
            return family, tell
    return "", lambda subject: None
