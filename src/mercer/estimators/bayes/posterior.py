"""Bayes' rule by itself."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import Any, TypeAlias, overload

from mercer.errors import MercerError

Hypothesis: TypeAlias = Hashable
ByHypothesis: TypeAlias = Mapping[Any, float]  # Any: a mapping of str is no mapping of Hashable to a type checker


class Posterior(dict[Hypothesis, float]):
    """P(hypothesis | evidence) by hypothesis.

    Parameters
    ----------
    prior : mapping of hypothesis to float
        P(h) of each hypothesis.

    Attributes
    ----------
    steps : list of dict
        The distribution before any evidence and after each piece of it.
    evidence : list of float
        P(piece | pieces before), for each piece of evidence.
    """

    def __init__(self, prior: ByHypothesis) -> None:
        super().__init__(prior)
        self.steps: list[dict[Hypothesis, float]] = [dict(prior)]
        self.evidence: list[float] = []

    def update(self, likelihood: ByHypothesis) -> None:  # type: ignore[override]
        """Condition on one more piece of evidence.

        Parameters
        ----------
        likelihood : mapping of hypothesis to float
            P(e | h) of each hypothesis.
        """
        if set(likelihood) != set(self):
            odd = next(iter(set(likelihood) ^ set(self)))
            raise MercerError(f"Prior and likelihood must name the same hypotheses; {odd!r} is in one of them only.")
        for hypothesis, value in likelihood.items():
            if not value >= 0:
                raise MercerError(f"The likelihood of {hypothesis!r} is {value}; it must be 0 or more.")
        total = sum(self[h] * likelihood[h] for h in self)
        if total == 0:
            raise MercerError("The evidence is impossible under every hypothesis with a positive prior.")
        for hypothesis in self:
            self[hypothesis] *= likelihood[hypothesis] / total
        self.evidence.append(total)
        self.steps.append(dict(self))


@overload
def posterior(prior: float, *likelihoods: float | tuple[float, float], evidence: float | None = None) -> float: ...
@overload
def posterior(prior: ByHypothesis, *likelihoods: ByHypothesis) -> Posterior: ...
def posterior(
    prior: float | ByHypothesis,
    *likelihoods: float | tuple[float, float] | ByHypothesis,
    evidence: float | None = None,
) -> float | Posterior:
    """P(h | e) = P(e | h) P(h) / P(e),  P(e) = sum over h of P(e | h) P(h).

    Parameters
    ----------
    prior : float or mapping of hypothesis to float
        P(h) of each hypothesis by name, adding up to 1; or one number, P(h) of a single hypothesis.
    *likelihoods : float, tuple of two float, or mapping of hypothesis to float
        For each piece of evidence, P(e | h) by name; for a single hypothesis (P(e | h), P(e | not h)), or P(e | h)
        alone when `evidence` gives P(e). Several pieces update one after the other.
    evidence : float or None, default None
        P(e), with a single hypothesis and a single likelihood.

    Returns
    -------
    posterior : float or Posterior
        P(h | e): a number for a single hypothesis, otherwise a dict by hypothesis that also holds each step.

    Raises
    ------
    MercerError
        A value is no probability, hypotheses differ, or the evidence is impossible.

    Examples
    --------
    Meningitis stiffens the neck in half of the cases; 1 patient in 50,000 has it, 1 in 20 has a stiff neck.

    >>> import mercer
    >>> mercer.posterior(1 / 50_000, 0.5, evidence=1 / 20)
    0.0002
    >>> mercer.posterior({"fair": 0.5, "two heads": 0.5}, {"fair": 0.5, "two heads": 1}, {"fair": 0.5, "two heads": 1})
    {'fair': 0.2, 'two heads': 0.8}
    """
    if not likelihoods:
        raise MercerError("posterior needs at least one likelihood.")
    if not isinstance(prior, Mapping):
        return _single(float(prior), likelihoods, evidence)
    if any(not 0 <= p <= 1 for p in prior.values()) or abs(sum(prior.values()) - 1) > 1e-9:
        raise MercerError(f"The priors must be from 0 to 1 and add up to 1; they add up to {sum(prior.values()):g}.")
    result = Posterior(prior)
    for likelihood in likelihoods:
        if not isinstance(likelihood, Mapping):
            raise MercerError("With priors by name, give each likelihood by name too.")
        result.update(likelihood)
    return result


def _single(prior: float, likelihoods: tuple[object, ...], evidence: float | None) -> float:
    if not 0 <= prior <= 1:
        raise MercerError(f"The prior is {prior}; a probability is from 0 to 1.")
    if evidence is not None:
        if len(likelihoods) != 1 or not isinstance(likelihoods[0], int | float):
            raise MercerError("With evidence=P(e), give exactly one likelihood, P(e | h).")
        joint = prior * likelihoods[0]
        if not 0 < evidence <= 1 or joint > evidence * (1 + 1e-12):
            raise MercerError(f"evidence={evidence} cannot be P(e): it must be at least P(e | h) P(h) = {joint:g}.")
        return joint / evidence
    result = Posterior({True: prior, False: 1 - prior})
    for pair in likelihoods:
        if not isinstance(pair, tuple) or len(pair) != 2:
            raise MercerError("Give (P(e | h), P(e | not h)), or P(e | h) with evidence=P(e).")
        result.update({True: pair[0], False: pair[1]})
    return result[True]
