"""Laws of scores: they do not depend on the order of rows, the names of classes or the unit of weights."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy import stats
from sklearn import metrics as sk

import mercer

SEEDS = st.integers(0, 2**32 - 1)
FEW = settings(max_examples=25, deadline=None)
NAMES = "none", "some", "many", "all"


@st.composite
def rows(draw: Any, least: int = 2, most: int = 4) -> tuple[Any, Any, Any]:
    """Codes of classes, probabilities with ties, and whole weights, some of them 0."""
    rng, k = np.random.default_rng(draw(SEEDS)), draw(st.integers(least, most))
    n = draw(st.integers(5 * k, 60))
    y = rng.integers(0, k, n)
    assume(len(np.unique(y)) == k)
    proba = rng.dirichlet(np.ones(k), n).round(draw(st.integers(1, 3))) + 1e-3
    weight = rng.integers(0, 4, n).astype(float)
    assume(all(weight[y == c].sum() > 0 for c in range(k)))
    return y, proba / proba.sum(axis=1, keepdims=True), weight


def score(y: Any, proba: Any, weight: Any = None, **more: Any) -> dict[str, Any]:
    """Every score of two classes or more, the last of two being the positive one."""
    k = proba.shape[1]
    known = {"classes": list(range(k)), "positive": k - 1, "sample_weight": weight} | more
    known["positive"] = known["positive"] if k == 2 else None
    return mercer.score_predictions(y, probabilities=proba, **known).scores


def same(a: dict[str, Any], b: dict[str, Any], ends: tuple[str, ...] = ("value", "low", "high")) -> None:
    """Values, and their intervals where asked for."""
    assert a.keys() == b.keys()
    for key, found in a.items():
        for end in ends:
            one, two = getattr(found, end), getattr(b[key], end)
            assert_allclose(np.nan if one is None else one, np.nan if two is None else two, atol=1e-9, err_msg=key)


@FEW
@given(rows(), SEEDS)
def test_the_order_of_rows_does_not_matter(table: Any, seed: int) -> None:
    y, proba, weight = table
    order = np.random.default_rng(seed).permutation(len(y))
    same(score(y, proba, weight), score(y[order], proba[order], weight[order]))


@FEW
@given(rows(), st.floats(0.01, 1000))
def test_the_unit_of_weights_does_not_matter(table: Any, factor: float) -> None:
    y, proba, weight = table
    same(score(y, proba, weight), score(y, proba, weight * factor))


@FEW
@given(rows())
def test_a_row_of_weight_two_is_two_rows(table: Any) -> None:
    y, proba, weight = table
    copied = np.repeat(np.arange(len(y)), weight.astype(int))
    same(score(y, proba, weight), score(y[copied], proba[copied]), ("value",))


@FEW
@given(rows())
def test_the_names_of_classes_do_not_matter(table: Any) -> None:
    y, proba, weight = table
    names = list(NAMES[: proba.shape[1]])
    named = score(np.array(names)[y], proba, weight, classes=names, positive=names[-1])
    same(score(y, proba, weight), named)


@FEW
@given(rows(2, 2), st.integers(0, 1))
def test_scores_of_either_class_are_scikit_learns(table: Any, positive: int) -> None:
    y, proba, weight = table
    found, guess = score(y, proba, weight, positive=positive), proba.argmax(axis=1)
    known = {"pos_label": positive, "sample_weight": weight, "zero_division": 0}
    truth, chance = y == positive, proba[:, positive]
    expected = {
        "roc_auc": sk.roc_auc_score(truth, chance, sample_weight=weight),
        "average_precision": sk.average_precision_score(truth, chance, sample_weight=weight),
        "recall": sk.recall_score(y, guess, **known),
        "precision": sk.precision_score(y, guess, **known),
        "f1": sk.f1_score(y, guess, **known),
        "f1_macro": sk.f1_score(y, guess, average="macro", sample_weight=weight, zero_division=0),
        "log_loss": sk.log_loss(y, proba, sample_weight=weight),
        "mcc": sk.matthews_corrcoef(y, guess, sample_weight=weight),
    }
    for key, value in expected.items():
        assert_allclose(found[key].value, value, atol=1e-9, err_msg=key)


@FEW
@given(rows(2, 2), SEEDS)
def test_a_difference_turns_its_sign_with_the_models(table: Any, seed: int) -> None:
    y, one, weight = table
    two = np.random.default_rng(seed).random(len(y))
    there, back = (
        mercer.compare_predictions(y, a, b, kind="probabilities", positive=1, sample_weight=weight)
        for a, b in ((one[:, 1], two), (two, one[:, 1]))
    )
    for key in ("roc_auc", "average_precision", "accuracy", "recall", "log_loss", "brier"):
        a, b = there.difference(key), back.difference(key)
        assert_allclose([a.value, a.low, a.high, a.p_value], [-b.value, -b.high, -b.low, b.p_value], atol=1e-9)


@FEW
@given(rows(2, 2), SEEDS)
def test_the_difference_of_areas_is_delongs(table: Any, seed: int) -> None:
    """DeLong et al. 1988 from the comparisons of every positive with every negative row, of rows without weights.

    Each row is written thirty times, since areas of fewer rows of a class are drawn to the models' own intervals.
    """
    y, one, _ = table
    scores = [np.repeat(s, 30) for s in (one[:, 1], np.random.default_rng(seed).random(len(y)).round(2))]
    y = np.repeat(y, 30)
    wins = [np.sign(s[y == 1][:, None] - s[y == 0]) / 2 + 0.5 for s in scores]
    gap = wins[0] - wins[1]
    variance = gap.mean(axis=1).var(ddof=1) / gap.shape[0] + gap.mean(axis=0).var(ddof=1) / gap.shape[1]
    assume(variance > 0)
    found = mercer.compare_predictions(y, *scores, kind="probabilities", positive=1).difference("roc_auc")
    assert_allclose(found.value, gap.mean(), atol=1e-12)
    assert_allclose(found.p_value, 2 * stats.norm.sf(abs(gap.mean()) / np.sqrt(variance)), atol=1e-9)


def test_rows_of_no_weight_may_rank_first() -> None:
    """Their precision is of no rows: the interval was not a number."""
    y, weight = np.array([1, 1, 0, 0, 1, 0, 1, 0]), np.array([0.0, 2, 1, 2, 1, 1, 1, 1])
    one, two = np.array([0.9, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2, 0.1]), np.array([0.1, 0.5, 0.6, 0.3, 0.9, 0.2, 0.7, 0.8])
    known = weight > 0
    for places in (slice(None), known):
        found = mercer.compare_predictions(
            y[places], one[places], two[places], kind="probabilities", positive=1, sample_weight=weight[places]
        ).difference("average_precision")
        assert found.low < found.value < found.high
