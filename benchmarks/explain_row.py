"""How long is the explanation of one row of 20 columns, beside shap's of the same model?

Exact: under 50 ms. Sampled: under 1 s, with 50 background rows. shap explains linear models and trees of scikit-learn
fitted to the same rows exactly, and other models of ours by permutations with as many scores (its `max_evals`).
"""

from __future__ import annotations

import importlib
import warnings
from pathlib import Path
from typing import Any

import numpy as np
from harness import Row, best
from sklearn.ensemble import ExtraTreesClassifier, HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.tree import DecisionTreeClassifier

import mercer
from mercer.evaluation.attribution.shapley import BUDGET

N_ROWS, N_COLUMNS = 10_000, 20
EXACT, SAMPLED = "0.05 s", "1 s"


def rows(data: Path) -> list[Row]:
    """The tables are generated: `data` is not used."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        shap = importlib.import_module("shap")
        x, y = _table()
        found = [_row(model, x, y, EXACT, _exact(shap, model, x, y)) for model in _exact_models()]
        return found + [_row(model, x, y, SAMPLED, _permutations(shap, model, x, y)) for model in _sampled_models()]


def _table() -> tuple[Any, Any]:
    rng = np.random.default_rng(0)
    x = rng.normal(size=(N_ROWS, N_COLUMNS))
    return x, (x[:, 0] + x[:, 1] * x[:, 2] + rng.normal(size=N_ROWS) > 0).astype(int)


def _exact_models() -> list[Any]:
    return [
        mercer.NaiveBayes(),
        mercer.LogisticRegression(),
        mercer.LinearSVC(),
        mercer.Perceptron(),
        mercer.DecisionTreeClassifier(min_samples_leaf=5),
        mercer.HistGradientBoostingClassifier(),
        mercer.RandomForestClassifier(random_state=0),
        mercer.ExtraTreesClassifier(min_samples_leaf=2, random_state=0),  # as `mercer train` grows them
    ]


def _sampled_models() -> list[Any]:
    return [mercer.KNeighborsClassifier(), mercer.SVC(), mercer.RoteLearner(), mercer.EnsembleSelection(random_state=0)]


def _row(model: Any, x: Any, y: Any, bar: str, rival: Any) -> Row:
    model.fit(x, y)
    ours = best(lambda: mercer.explain(model, x, rows=7, background=None if bar == EXACT else x[:50]), 3)
    name, explain = rival
    return Row(f"one row of {type(model).__name__}", ours, best(explain, 2), name, f"under {bar}")


def _exact(shap: Any, model: Any, x: Any, y: Any) -> tuple[str, Any]:
    trees = {
        mercer.DecisionTreeClassifier: DecisionTreeClassifier(min_samples_leaf=5),
        mercer.HistGradientBoostingClassifier: HistGradientBoostingClassifier(),
        mercer.RandomForestClassifier: RandomForestClassifier(random_state=0),
        mercer.ExtraTreesClassifier: ExtraTreesClassifier(min_samples_leaf=2, random_state=0),
    }
    if type(model) in trees:
        tree = shap.TreeExplainer(trees[type(model)].fit(x, y))
        return "shap.TreeExplainer", lambda: tree.shap_values(x[7:8])
    linear = shap.LinearExplainer(LogisticRegression().fit(x, y), x[:50])
    return "shap.LinearExplainer (logistic)", lambda: linear.shap_values(x[7:8])


def _permutations(shap: Any, model: Any, x: Any, y: Any) -> tuple[str, Any]:
    model.fit(x, y)
    ask = getattr(model, "predict_proba", None) if hasattr(model, "predict_proba") else model.decision_function
    explainer = shap.Explainer(ask, x[:50], algorithm="permutation")
    evaluations = max(2 * N_COLUMNS + 1, BUDGET // 50)  # each of them of all background rows
    return "shap, permutations", lambda: explainer(x[7:8], max_evals=evaluations, silent=True)
