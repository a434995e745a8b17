"""What the report says of a twin support vector machine: kernel, cost, penalty, and how exactly it is solved."""

from __future__ import annotations

from mercer.estimators.common.explanations.model_explanation import Fact, FittedLearner, ModelExplanation
from mercer.formatting import amount, duration
from mercer.kernels.formula import kernel_formula


def explain_twin(fitted: FittedLearner) -> ModelExplanation:
    """Kernel, parameters, and the certificate."""
    model, kernel = fitted.model, kernel_formula(fitted.model.kernel_)
    lead = "Every class has a plane near its rows and away from all others; a new row is of the class of the nearest."
    facts = [
        Fact("Cost C", amount(float(model.C)), "of a row of another class that is near the plane"),
        Fact("Penalty α", amount(float(model.alpha)), "on the size of the plane's weights"),
    ]
    if kernel.gamma is not None:
        facts.append(Fact("γ", amount(kernel.gamma), "the larger, the more local"))
    facts.append(
        Fact("Rows compared with", f"{len(model.support_):,}", f"of {model.shape_fit_[0]:,} rows learned from")
    )
    if model.loss == "hinge":
        facts.append(Fact("Duality gap", amount(model.duality_gap_), "of the plane for which it is largest"))
    facts.append(Fact("Planes", f"{len(model.classes_):,}", f"{duration(fitted.fit_seconds)} to fit the training rows"))
    return ModelExplanation("twin", lead, facts, None, f"k(a, b) = {kernel.formula}", tuple(kernel.notes))
