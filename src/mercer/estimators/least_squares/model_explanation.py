"""What the report says of a kernel machine of least squares: kernel, penalty, residual, and how it was chosen."""

from __future__ import annotations

import numpy as np

from mercer.estimators.common.explanations.model_explanation import Fact, FittedLearner, ModelExplanation
from mercer.estimators.kernel.weight_facts import weight_facts
from mercer.formatting import amount, duration
from mercer.kernels.formula import kernel_formula

_CRITERIA = {"gcv": "generalised cross-validation", "evidence": "the log marginal likelihood"}


def explain_least_squares(fitted: FittedLearner) -> ModelExplanation:
    """Kernel, penalty and width, residual of the linear system, and what the search found."""
    model = fitted.model
    kernel = kernel_formula(model.kernel_)
    lead = "The kernel k compares a new row with the training rows; the prediction is a weighted sum of what it finds."
    facts = [_penalty(model)]
    if kernel.gamma is not None:
        facts.append(Fact("γ", amount(kernel.gamma), "the larger, the more local"))
    facts += [
        *weight_facts(model.kernel_),
        Fact("Rows compared with", f"{len(model.support_):,}", f"of {model.shape_fit_[0]:,} rows learned from"),
        Fact("Residual", amount(model.residual_), "of the linear system, relative to the target"),
        Fact("Iterations", f"{model.n_iter_:,}", f"{duration(fitted.fit_seconds)} to fit the training rows"),
        *_evidence(model),
        *_search(model),
    ]
    return ModelExplanation("least_squares", lead, facts, None, f"k(a, b) = {kernel.formula}", tuple(kernel.notes))


def _penalty(model: object) -> Fact:
    if hasattr(model, "C_"):
        return Fact("Cost C", amount(float(model.C_)), "of a squared error, against the size of the function")
    alpha = np.atleast_1d(np.asarray(getattr(model, "alpha_"), dtype=np.float64))  # noqa: B009  (of some machines)
    return Fact("Penalty α", ", ".join(map(amount, alpha)), "on the size of the function, against squared errors")


def _evidence(model: object) -> list[Fact]:
    found = float(getattr(model, "log_marginal_likelihood_", np.nan))
    return [Fact("Log marginal likelihood", amount(found), "as a Gaussian process")] if np.isfinite(found) else []


def _search(model: object) -> list[Fact]:
    tuning = getattr(model, "tuning_", None)
    if tuning is None:
        return []
    by = _CRITERIA.get(tuning.scoring, f"{tuning.scoring} of rows left out one at a time")
    return [Fact("Points tried", f"{len(tuning.points):,}", f"best {amount(tuning.best_score)}, by {by}")]
