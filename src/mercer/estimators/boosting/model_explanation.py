"""What the report says of boosted trees."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mercer.estimators.common.explanations.model_explanation import Fact, FittedLearner, ModelExplanation
from mercer.formatting import amount, percent

MOST_SHARES = 5


@dataclass(frozen=True, slots=True)
class BoostingDetails:
    """How many trees, their leaves in all, and the share of the gain of each column, the largest first."""

    n_trees: int
    n_leaves: int
    columns: list[str]
    gain_shares: list[float]


def explain_boosting(fitted: FittedLearner) -> ModelExplanation:
    """Rounds, size of the trees, and the columns that gained most."""
    model = fitted.model
    forest = model.forest_
    leaves = int((forest.column < 0).sum())
    trees = max(len(forest.root), 1)
    shares = model.feature_importances_
    order = np.argsort(-shares, kind="stable")[:MOST_SHARES]
    named = ", ".join(f"{model.schema_.names[j]} ({percent(shares[j])})" for j in order if shares[j] > 0)
    stopped = "where rows set aside gained no more" if model.do_early_stopping_ else "as many as asked for"
    facts = [
        Fact("Rounds", f"{model.n_iter_:,}", stopped),
        Fact("Trees", f"{len(forest.root):,}", f"{amount(leaves / trees)} leaves each on average"),
        Fact("Learning rate", amount(model.learning_rate), "what the values of each tree are multiplied by"),
    ]
    if named:
        facts.append(Fact("Gain by column", named, "share of the decrease of the loss in training"))
    lead = "Many small trees are added up, each grown on what the sum of those before it gets wrong."
    columns = [model.schema_.names[j] for j in order]
    details = BoostingDetails(len(forest.root), leaves, columns, [float(shares[j]) for j in order])
    return ModelExplanation("", lead, facts, details)
