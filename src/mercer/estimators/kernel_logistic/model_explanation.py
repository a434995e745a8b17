"""What the report says of kernel logistic regression: kernel, cost, duality gap."""

from __future__ import annotations

from mercer.estimators.common.explanations.model_explanation import Fact, FittedLearner, ModelExplanation
from mercer.estimators.kernel.weight_facts import weight_facts
from mercer.formatting import amount, duration
from mercer.kernels.formula import kernel_formula


def explain_kernel_logistic(fitted: FittedLearner) -> ModelExplanation:
    """Kernel and cost, and how exactly the problem is solved."""
    model, kernel = fitted.model, kernel_formula(fitted.model.kernel_)
    lead = "The kernel k compares a new row with the training rows; a weighted sum of what it finds is the log odds."
    share = model.duality_gap_ / max(model.primal_, 1e-300)
    facts = [Fact("Cost C", amount(float(model.C_)), "of the log loss, against the size of the functions")]
    if kernel.gamma is not None:
        facts.append(Fact("γ", amount(kernel.gamma), "the larger, the more local"))
    facts += [
        *weight_facts(model.kernel_),
        Fact("Rows compared with", f"{len(model.support_):,}", f"of {model.shape_fit_[0]:,} rows learned from"),
        Fact("Duality gap", f"{amount(share)} of the objective", f"{amount(model.duality_gap_)} in all"),
        Fact("Newton steps", f"{model.n_iter_:,}", f"{duration(fitted.fit_seconds)} to fit the training rows"),
    ]
    return ModelExplanation("kernel_logistic", lead, facts, None, f"k(a, b) = {kernel.formula}", tuple(kernel.notes))
