"""Held-out rows of a comparison explained: they add up, have their roles, and stand in the report."""

from __future__ import annotations

import math

import pytest
from tests.evaluation.test_comparison import mixed, run

from mercer.report.page import render


@pytest.mark.parametrize("learner", ["linear", "tree", "neighbours"])
def test_classes(learner: str) -> None:
    found = run(mixed(n=160), learners=(learner,))
    roles = [e.role for e in found.examples]
    assert roles[0] == "Most certain" and len(roles) == len(set(roles)) <= 3
    for e in found.examples:
        one = e.explanation
        assert one["base"] + sum(c["adds"] for c in one["columns"]) == pytest.approx(one["score"])
        assert one["for"] == found.target.positive
        assert (e.truth == e.predicted) == (e.role == "Most certain") or e.role == "Least certain"
    page = render(found.to_dict())
    assert 'id="examples"' in page and "Most certain:" in page


@pytest.mark.parametrize("target", ["several", "number"])
def test_several_classes_and_numbers(target: str) -> None:
    found = run(mixed(n=160, target=target), learners=("linear",))
    assert len(found.examples) >= 2
    for e in found.examples:
        one = e.explanation
        assert one["base"] + sum(c["adds"] for c in one["columns"]) == pytest.approx(one["score"])
        if target == "number":
            assert float(e.predicted) == pytest.approx(one["score"], rel=1e-3)
        else:
            assert one["for"] == e.predicted
    assert 'id="examples"' in render(found.to_dict())


def test_with_class_weights_the_probabilities_are_those_reported() -> None:
    found = run(mixed(n=160), learners=("linear",), costs="fn=9,fp=1")
    assert found.examples
    for e in found.examples:
        one = e.explanation
        assert one["base"] + sum(c["adds"] for c in one["columns"]) == pytest.approx(one["score"])
        called = one["score"] if one["unit"] == "probability" else 1 / (1 + math.exp(-one["score"]))
        assert (e.predicted == found.target.positive) == (called >= found.decision.threshold)


def test_a_baseline_has_none() -> None:
    found = run(mixed(n=160), learners=("baseline",))
    assert found.examples == [] and 'id="examples"' not in render(found.to_dict())


def test_a_result_of_before_has_none() -> None:
    result = run(mixed(n=160), learners=("linear",)).to_dict()
    del result["examples"]
    assert 'id="examples"' not in render(result)
