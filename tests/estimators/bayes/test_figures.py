"""The worked examples of the lectures, figure by figure."""

from __future__ import annotations

import numpy as np
import pytest

import mercer
from mercer.likelihoods import MEstimate

TAX = {
    "Refund": ["Yes", "No", "No", "Yes", "No", "No", "Yes", "No", "No", "No"],
    "Status": [
        "Single", "Married", "Single", "Married", "Divorced", "Married", "Divorced", "Single", "Married", "Single",
    ],
    "Income": ["125K", "100K", "70K", "120K", "95K", "60K", "220K", "85K", "75K", "90K"],
}  # fmt: skip
EVADE = ["No", "No", "No", "No", "Yes", "No", "No", "Yes", "No", "Yes"]


@pytest.fixture
def plain() -> mercer.NaiveBayes:
    return mercer.NaiveBayes(smoothing="none").fit(TAX, EVADE)


def test_tax_counts(plain: mercer.NaiveBayes) -> None:
    tables = plain.tables()
    refund, status = tables["Refund"], tables["Status"]
    assert refund.rows == ("No", "Yes")
    np.testing.assert_allclose(refund.values, [[4 / 7, 1], [3 / 7, 0]])
    assert status.rows == ("Divorced", "Married", "Single")
    np.testing.assert_allclose(status.values, [[1 / 7, 1 / 3], [4 / 7, 0], [2 / 7, 2 / 3]])
    np.testing.assert_allclose(tables.prior, [0.7, 0.3])


def test_tax_income_is_read_and_its_moments_are_the_sample_ones(plain: mercer.NaiveBayes) -> None:
    income = plain.tables()["Income"]
    np.testing.assert_allclose(income.values[0], [110e3, 90e3])
    np.testing.assert_allclose(income.values[1], [2975e6, 25e6])


@pytest.mark.parametrize(
    ("income", "label", "printed"), [(120, "No", "0.0072"), (80, "No", "0.0062"), (80, "Yes", "0.01")]
)
def test_tax_densities(income: float, label: str, printed: str) -> None:
    """The lectures round the first and cut the digits of the others."""
    thousands = {"Income": [float(v[:-1]) for v in TAX["Income"]]}
    model = mercer.NaiveBayes().fit(thousands, EVADE)
    scores = model.likelihoods_[0].column_log_prob(mercer.read_table({"Income": [income, 0.0]}))
    found = np.exp(scores[0, 0, list(model.classes_).index(label)])
    digits = len(printed) - 2
    assert printed in (f"{found:.{digits}f}", f"{found:.9f}"[: digits + 2])


def test_tax_laplace() -> None:
    tables = mercer.NaiveBayes(smoothing="laplace").fit(TAX, EVADE).tables()
    np.testing.assert_allclose(tables["Refund"].values, [[5 / 9, 4 / 5], [4 / 9, 1 / 5]])
    np.testing.assert_allclose(tables["Status"].values, [[2 / 10, 2 / 6], [5 / 10, 1 / 6], [3 / 10, 3 / 6]])


@pytest.mark.parametrize("record", [("No", "Married", "120K"), ("Yes", "Single", "80K")])
def test_tax_records(plain: mercer.NaiveBayes, record: tuple[str, str, str]) -> None:
    row = dict(zip(TAX, ([v] for v in record), strict=True))
    assert plain.predict(row).tolist() == ["No"]
    assert plain.predict_proba(row)[0].tolist() == pytest.approx([1.0, 0.0])


def test_m_estimate_covers_the_denominator_with_the_number_of_classes() -> None:
    tables = mercer.NaiveBayes(smoothing=MEstimate(m=2, p="uniform")).fit(TAX, EVADE).tables()
    np.testing.assert_allclose(tables["Refund"].values[1], [(3 + 1) / (7 + 2), (0 + 1) / (3 + 2)])
    marginal = mercer.NaiveBayes(smoothing=MEstimate(m=3, p="marginal")).fit(TAX, EVADE).tables()
    np.testing.assert_allclose(marginal["Refund"].values[1], [(3 + 3 * 0.3) / (7 + 3), (0 + 3 * 0.3) / (3 + 3)])


ANIMALS = (
    """
human yes no no yes M|python no no no no N|salmon no no yes no N|whale yes no yes no M|frog no no sometimes yes N
komodo no no no yes N|bat yes yes no yes M|pigeon no yes no yes N|cat yes no no yes M|leopard-shark yes no yes no N
turtle no no sometimes yes N|penguin no no sometimes yes N|porcupine yes no no yes M|eel no no yes no N
salamander no no sometimes yes N|gila-monster no no no yes N|platypus no no no yes M|owl no yes no yes N
dolphin yes no yes no M|eagle no yes no yes N
""".replace("\n", "|")
    .strip("|")
    .split("|")
)


def test_mammals() -> None:
    rows = [line.split() for line in ANIMALS]
    table = {name: [r[j] for r in rows] for j, name in enumerate(("birth", "fly", "water", "legs"), start=1)}
    model = mercer.NaiveBayes(smoothing="none").fit(table, [r[-1] for r in rows])
    joint = np.exp(model.predict_joint_log_proba({"birth": ["yes"], "fly": ["no"], "water": ["yes"], "legs": ["no"]}))[
        0
    ]
    likelihood = joint / model.class_prior_
    assert likelihood == pytest.approx([6 / 7 * 6 / 7 * 2 / 7 * 2 / 7, 1 / 13 * 10 / 13 * 3 / 13 * 4 / 13])
    assert likelihood.round(4).tolist() == [0.06, 0.0042]
    assert joint.round(4).tolist() == [0.021, 0.0027]


TITLES = {
    "title": [
        "Obama meets Merkel", "Obama elected again", "Merkel visits Greece again",
        "OSFP European basketball champion", "Miami NBA basketball champion", "Greece basketball coach?",
    ]
}  # fmt: skip


def test_news_titles() -> None:
    model = mercer.NaiveBayes(kinds={"title": "text"}).fit(TITLES, ["politics"] * 3 + ["sports"] * 3)
    assert len(model.tables()["title"].rows) == 14
    joint = np.exp(model.predict_joint_log_proba({"title": ["Obama likes basketball"]}))[0]
    assert joint == pytest.approx([0.5 * 3 / 24 / 24 / 24, 0.5 * 4 / 25 / 25 / 25])
    assert [f"{p:.9f}"[:8] for p in joint] == ["0.000108", "0.000128"]


def test_meningitis() -> None:
    assert mercer.posterior(1 / 50_000, 0.5, evidence=1 / 20) == pytest.approx(0.0002)


def test_updating_piece_by_piece_is_updating_at_once() -> None:
    prior = {"a": 0.2, "b": 0.5, "c": 0.3}
    first, second = {"a": 0.9, "b": 0.1, "c": 0.4}, {"a": 0.3, "b": 0.6, "c": 0.2}
    both = {h: first[h] * second[h] for h in prior}
    stepwise, at_once = mercer.posterior(prior, first, second), mercer.posterior(prior, both)
    assert dict(stepwise) == pytest.approx(dict(at_once))
    assert np.prod(stepwise.evidence) == pytest.approx(at_once.evidence[0])
    assert len(stepwise.steps) == 3


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (({"a": 0.5, "b": 0.6}, {"a": 1, "b": 1}), "add up to 1"),
        (({"a": 0.5, "b": 0.5}, {"a": 1}), "same hypotheses"),
        (({"a": 1.0}, {"a": 0.0}), "impossible"),
        (({"a": 1.0}, {"a": -1.0}), "0 or more"),
        ((1.5, (0.1, 0.2)), "from 0 to 1"),
        ((0.5, 0.1), "P\\(e \\| not h\\)"),
        ((0.5,), "at least one"),
    ],
)
def test_posterior_refuses(arguments: tuple[object, ...], message: str) -> None:
    with pytest.raises(mercer.errors.MercerError, match=message):
        mercer.posterior(*arguments)
