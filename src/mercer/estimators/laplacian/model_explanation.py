"""What the report says of a Laplacian support vector machine: kernel, cost, and the weight of the graph."""

from __future__ import annotations

from mercer.estimators.common.explanations.model_explanation import Fact, FittedLearner, ModelExplanation
from mercer.formatting import amount, duration
from mercer.kernels.formula import kernel_formula


def explain_laplacian(fitted: FittedLearner) -> ModelExplanation:
    """Kernel, cost, graph."""
    model, kernel = fitted.model, kernel_formula(fitted.model.kernel_)
    lead = "The decision changes as little as it can between neighbouring rows, with a label or without."
    facts = [
        Fact("Cost C", amount(float(model.C)), "of an error on a row with a label"),
        Fact("Weight of the graph", amount(float(model.gamma_manifold)), "of differences between neighbours"),
        Fact("Neighbours", f"{model.n_neighbors:,}", "of each row"),
    ]
    if kernel.gamma is not None:
        facts.append(Fact("γ", amount(kernel.gamma), "the larger, the more local"))
    rows = f"of {model.shape_fit_[0]:,} rows; {duration(fitted.fit_seconds)} to fit them"
    facts.append(Fact("Rows with a label", f"{model.n_labelled_:,}", rows))
    return ModelExplanation("laplacian", lead, facts, None, f"k(a, b) = {kernel.formula}", tuple(kernel.notes))
