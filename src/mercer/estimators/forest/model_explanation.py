"""What the report says of a forest."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mercer.estimators.common.explanations.model_explanation import Fact, FittedLearner, ModelExplanation
from mercer.formatting import amount, percent

MOST_SHARES = 5


@dataclass(frozen=True, slots=True)
class ForestDetails:
    """How many trees, their leaves on average, and the share of the decrease of impurity by column, largest first."""

    n_trees: int
    leaves: float
    columns: list[str]
    shares: list[float]


def explain_forest(fitted: FittedLearner) -> ModelExplanation:
    """How many trees of what size, what each draws, and the columns that lowered impurity most."""
    model = fitted.model
    leaves = float(np.mean([tree.n_leaves for tree in model.trees_]))
    shares = model.feature_importances_
    order = np.argsort(-shares, kind="stable")[:MOST_SHARES]
    named = ", ".join(f"{model.schema_.names[j]} ({percent(shares[j])})" for j in order if shares[j] > 0)
    drawn = "drawn with replacement for each tree" if model.bootstrap else "all of them for each tree"
    facts = [
        Fact("Trees", f"{len(model.trees_):,}", f"{amount(leaves)} leaves each on average"),
        Fact("Rows", drawn),
        Fact("Columns", f"{model.max_features_:,} of {len(model.columns_.single):,}", "drawn anew for each split"),
    ]
    if hasattr(model, "oob_score_"):
        facts.append(Fact("Out-of-bag score", amount(model.oob_score_), "each row by the trees that did not draw it"))
    if named:
        facts.append(Fact("Importance by column", named, "share of the decrease of impurity in training"))
    lead = "Many trees, each grown on rows and columns drawn at random; their answers are averaged."
    columns = [model.schema_.names[j] for j in order]
    details = ForestDetails(len(model.trees_), leaves, columns, [float(shares[j]) for j in order])
    return ModelExplanation("", lead, facts, details)
