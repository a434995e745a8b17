"""What the report says of a relevance vector machine: kernel, relevance vectors, marginal likelihood, noise."""

from __future__ import annotations

from mercer.estimators.common.explanations.model_explanation import Fact, FittedLearner, ModelExplanation
from mercer.formatting import amount, duration, percent
from mercer.kernels.formula import kernel_formula


def explain_relevance(fitted: FittedLearner) -> ModelExplanation:
    """Kernel, how few rows are left, and how likely the target is under the model."""
    model, kernel = fitted.model, kernel_formula(fitted.model.kernel_)
    what = "log odds" if hasattr(model, "classes_") else "prediction"
    lead = f"The kernel k compares a new row with the relevance vectors; a weighted sum of what it finds is the {what}."
    rows = int(model.shape_fit_[0])
    share = f"{percent(len(model.support_) / max(rows, 1))} of the rows"
    facts = [Fact("Relevance vectors", f"{len(model.support_):,}", share)]
    if kernel.gamma is not None:
        facts.append(Fact("γ", amount(kernel.gamma), "the larger, the more local"))
    if hasattr(model, "noise_variance_"):
        facts.append(Fact("Noise", amount(model.noise_variance_**0.5), "standard deviation, in units of the target"))
    facts += [
        Fact("Log marginal likelihood", amount(model.log_marginal_likelihood_), "of the target, given the precisions"),
        Fact("Steps", f"{model.n_iter_:,}", f"{duration(fitted.fit_seconds)} to fit the training rows"),
    ]
    return ModelExplanation("relevance", lead, facts, None, f"k(a, b) = {kernel.formula}", tuple(kernel.notes))
