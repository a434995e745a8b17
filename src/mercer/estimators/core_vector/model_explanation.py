"""What the report says of a core vector machine: kernel, cost, core set, and the guarantee that was measured."""

from __future__ import annotations

from mercer.estimators.common.explanations.model_explanation import Fact, FittedLearner, ModelExplanation
from mercer.formatting import amount, duration
from mercer.kernels.formula import kernel_formula


def explain_core_vectors(fitted: FittedLearner) -> ModelExplanation:
    """Kernel, cost, core set, and the guarantee."""
    model, kernel = fitted.model, kernel_formula(fitted.model.kernel_)
    lead = "The margin is the smallest ball around all rows in the kernel's space, found from the few on its surface."
    facts = [Fact("Cost C", amount(float(model.C)), "of a squared error")]
    if kernel.gamma is not None:
        facts.append(Fact("γ", amount(kernel.gamma), "the larger, the more local"))
    largest, rows = int(model.n_core_.max()), f"of {model.shape_fit_[0]:,} rows learned from"
    facts += [
        Fact("Core set", f"{largest:,}", f"{rows}; of the binary problem for which it is largest"),
        Fact("Guarantee", amount(float(model.guarantee_.max())), "how far beyond the radius the farthest row lies"),
        Fact("Problems", f"{len(model.n_core_):,}", f"{duration(fitted.fit_seconds)} to fit the training rows"),
    ]
    return ModelExplanation("core_vector", lead, facts, None, f"k(a, b) = {kernel.formula}", tuple(kernel.notes))
