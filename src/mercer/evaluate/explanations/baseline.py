"""The baseline: what it always says."""

from __future__ import annotations

from dataclasses import dataclass, field

from mercer.evaluate.explanations.subject import Subject

MOST_CLASSES = 12


@dataclass(frozen=True, slots=True)
class BaselineAccount:
    """The shares of the classes, most frequent first, or the mean of the target."""

    classes: list[str] = field(default_factory=list)
    shares: list[float] = field(default_factory=list)
    n_classes: int = 0
    mean: float | None = None


def baseline_account(subject: Subject) -> BaselineAccount:
    if not subject.classes:
        return BaselineAccount(mean=float(subject.model.mean_))
    shares = subject.model.class_prior_
    order = (-shares).argsort(kind="stable")[:MOST_CLASSES]
    return BaselineAccount([subject.classes[c] for c in order], shares[order].tolist(), len(shares))
