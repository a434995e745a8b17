"""When figures agree: to the digits printed, exactly for fractions and formulas, within a band for draws."""

import numpy as np
import pytest

from mercer.gallery import Comparison, Draws


@pytest.mark.parametrize(
    ("source", "ours", "agrees"),
    [
        ("0.0072", 0.00719, True),
        ("0.0072", 0.00726, False),
        ("0.01", 0.0108, True),
        ("3/7", 3 / 7, True),
        ("3/7", 0.4286, False),
        ("110", 110.0, True),
        ("110", 110.4, False),
        ("-589.39", -589.394, True),
        ("-589.39", 589.39, False),
        ("No", "No", True),
        ("No", "Yes", False),
        (0.1 + 0.2, 0.3, True),
        (0.3, 0.3001, False),
        ("0.91", Draws(np.linspace(0.88, 0.95, 50)), True),
        ("0.96", Draws(np.linspace(0.88, 0.95, 50)), False),
        ("0.91", float("nan"), False),
    ],
)
def test_what_agrees(source, ours, agrees):
    assert Comparison("figure", source, ours).agrees is agrees


def test_a_tolerance_of_its_own():
    assert Comparison("figure", "0.5", 0.6, tolerance=0.1).agrees
    assert not Comparison("figure", "0.5", 0.5001, tolerance=0).agrees


def test_verdicts_and_reasons():
    wrong = ("P(Single | Yes)", "2/7", 2 / 3)
    assert Comparison(*wrong).verdict == "DISAGREES"
    assert Comparison(*wrong, differs="another table").verdict == "differs"
    slip = Comparison(*wrong, slip="2 of 3")
    assert slip.verdict == "slip of the source"
    assert slip.to_dict() == {
        "what": "P(Single | Yes)",
        "source": "2/7",
        "ours": "0.666667",
        "tolerance": "exact",
        "verdict": "slip of the source",
        "reason": "2 of 3",
    }


def test_figures_are_shown_with_two_digits_more():
    assert Comparison("", "0.06", 0.059975).ours_text == "0.0600"
    assert Comparison("", "0.0072", 0.0071918).tolerance_text == "± 5e-05"
    assert Comparison("", "0.92", Draws([0.9, 0.92, 0.94])).ours_text == "0.92 (0.902 to 0.938 in 90 % of 3 draws)"
