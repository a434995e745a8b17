"""Numbers as text, ticks, dot plots."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mercer.formatting import amount, chance, duration, four_digits, odds_ratio, p_value, percent, short, short_apart
from mercer.report.dot_plots import axis, scale
from mercer.report.sentences import cautions, figure, interval, kinds_in_words, within
from mercer.report.svg import number, ticks


@pytest.mark.parametrize(
    ("made", "want"),
    [
        (percent(0.5), "50 %"),
        (percent(0.95), "95 %"),
        (percent(0.0123), "1.2 %"),
        (percent(0.0001), "< 0.1 %"),
        (percent(0), "0 %"),
        (percent(None), "–"),
        (amount(float("nan")), "–"),
        (chance(0.000187), "0.019 %"),
        (amount(1234.5), "1,234"),
        (amount(0.5), "0.5"),
        (amount(5.03e9), "5.03 × 10⁹"),
        (amount(-2.4e-7), "−2.4 × 10⁻⁷"),
        (amount(0.0004), "0.0004"),
        (amount(0.93, 3), "0.930"),
        (amount(123.4, 3), "123"),
        (percent(0.99996), "> 99.9 %"),
        (percent(1.0), "100 %"),
        (odds_ratio(1.000417), "1.000417"),
        (odds_ratio(1.0), "1.00"),
        (odds_ratio(2.637), "2.64"),
        (odds_ratio(1.1), "1.10"),
        (odds_ratio(1e9), "> 1,000"),
        (odds_ratio(1e-9), "< 0.001"),
        (p_value(1e-30), "< 0.001"),
        (p_value(0.0123), "0.012"),
        (figure("roc_auc", -0.0001), "0.000"),
        (figure("r2", -0.5), "−0.500"),
        (figure("accuracy", 0.734), "73.4 %"),
        (interval("accuracy", {"low": 0.7, "high": 0.8}), "70.0 to 80.0 %"),
        (interval("r2", {"low": None, "high": None}), ""),
        (interval("roc_auc", {"low": 0.99962, "high": 0.99997}), "0.9996 to 1.0000"),
        (interval("accuracy", {"low": -0.093, "high": 0.135}), "−9.3 to 13.5 %"),
        (duration(0.25), "250 ms"),
        (duration(75), "75.0 s"),
        (duration(600), "10.0 min"),
        (number(150000.0), "150K"),
        (number(2.5e6), "2.5M"),
        (number(1500.0), "1500"),
        (short("a  b\n c"), "a b c"),
        (short(""), "(blank)"),
        (kinds_in_words([{"kind": "numeric"}]), "1 numeric column"),
        (kinds_in_words([{"kind": k} for k in ("text", "binary", "binary")]), "2 binary and 1 text columns"),
    ],
)
def test_numbers_as_text(made, want):
    assert made == want


@pytest.mark.parametrize("most", [14, 24, 48])
def test_names_with_one_beginning_and_end_are_told_apart(most):
    names = [f"a contract with a very long name, number {k:02d}, of about sixty letters" for k in range(40)]
    cut = short_apart(names, most)
    assert len(set(cut)) == 40
    assert max(map(len, cut)) <= most
    assert all(f"{k:02d}" in one for k, one in enumerate(cut))
    assert short_apart(["one", "two"], most) == ["one", "two"]
    assert short_apart([names[0]] * 2, most)[0] == short_apart([names[0]] * 2, most)[1]


@given(st.text(min_size=1), st.integers(5, 80))
def test_short_is_short(text, most):
    assert len(short(text, most)) <= max(most, len("(blank)"))


@given(st.floats(-1e6, 1e6), st.floats(1e-6, 1e6))
def test_ticks_are_few_inside_and_rising(low, width):
    high = low + width
    marks = ticks(low, high)
    assert 1 <= len(marks) <= 7
    assert marks == sorted(set(marks))
    slack = 1e-5 * (high - low) + 1e-9 * abs(low)
    assert all(low - slack <= m <= high + slack for m in marks)


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=8))
def test_dot_plots_stay_on_the_page(values):
    low, high = scale(values)
    assert low < min(values)
    assert high > max(values)
    assert all(0 <= t.at <= 100 for t in axis(low, high))


@pytest.mark.parametrize(
    ("title", "words"),
    [("Average precision", "average precision"), ("ROC AUC", "ROC AUC"), ("R²", "R²"), ("F1, macro", "F1, macro"),
     ("Brier score", "Brier score"), ("Log loss", "log loss"), ("RMSE", "RMSE")],
)  # fmt: skip
def test_titles_of_metrics_within_a_sentence(title, words):
    assert within(title) == words


@pytest.mark.parametrize(
    ("value", "words"),
    [(681_400.4, "681,400"), (-48_380.0, "-48,380"), (9_999.4, "9999"), (0.12345, "0.1235"), (3e12, "3e+12")],
)
def test_large_numbers_in_full(value, words):
    assert four_digits(value) == words
    assert four_digits(abs(value), "+") == "+" + words.removeprefix("-")


@pytest.mark.parametrize(
    ("low", "said"),
    [(0.6, "Its probabilities are overconfident (log loss 0.845, baseline 0.471)"), (0.3, "cannot be told")],
)
def test_probabilities_are_called_overconfident_where_that_is_beyond_error(low, said):
    loss = {"value": 0.845, "low": low, "high": 1.9}
    runs = {"learner": (False, loss), "baseline": (True, {"value": 0.471, "low": 0.3, "high": 0.7})}
    entries = [
        {"key": key, "is_baseline": is_baseline, "error": None, "held_out": {"log_loss": score}}
        for key, (is_baseline, score) in runs.items()
    ]
    result = {"kept": "learner", "leaderboard": entries, "headline": "held_out", "task": "classification"}
    [sentence] = cautions({**result, "doubts": [], "decision": {"rule": "cost"}})
    assert said in sentence
