"""Which task a target asks for, and which targets are refused."""

from datetime import date, timedelta

import numpy as np
import polars as pl
import pytest
import scipy.sparse as sp

from mercer.errors import BadColumn, BadTarget, MercerError
from mercer.table import Task, open_source
from mercer.table.formats.source import Source
from mercer.table.target_column import read_target


def source_of(values, **more):
    n = len(values)
    return open_source({"x": list(range(n)), "y": values, **more})


@pytest.mark.parametrize(
    ("values", "task"),
    [
        (["yes", "no"] * 10, "classification"),
        ([True, False] * 10, "classification"),
        ([0, 1] * 10, "classification"),
        ([0.0, 1.0] * 10, "classification"),
        ([1, 2, 3] * 10, "classification"),
        (["1", "2", "3"] * 10, "classification"),
        (list(range(11)) * 10, "regression"),
        ([1, 2, 3, 4, 5], "regression"),
        ([0.5, 1.5, 2.5] * 10, "regression"),
        (["10K", "20K", "1.5M"] * 4, "regression"),
        (["a", "b", "c", "d"] * 2, "classification"),
    ],
)
def test_the_task_is_told_from_the_target(values, task):
    target, rest = read_target(source_of(values), "y")
    assert target.task == task
    assert target.reason
    assert "y" not in rest.columns


def test_written_numbers_are_read():
    target, _ = read_target(source_of(["10K", "20K", "1.5M"] * 4), "y")
    np.testing.assert_array_equal(target.numbers[:3], [10_000, 20_000, 1_500_000])


def test_the_task_can_be_forced():
    assert read_target(source_of([1, 2, 3] * 10), "y", "regression")[0].task == "regression"
    assert read_target(source_of(list(range(20)) * 2), "y", "classification")[0].task == "classification"
    with pytest.raises(BadTarget, match="'red', which is not a number"):
        read_target(source_of(["red", "blue"] * 10), "y", "regression")
    with pytest.raises(MercerError, match="not a task"):
        read_target(source_of([0, 1] * 10), "y", "ranking")


def test_rows_without_a_target_are_left_out_of_every_column():
    given = source_of(["a", None, "b", " ? ", "a", "b"], city=["u", "v", "w", "v", "u", "w"])
    given.distinct("city")
    target, rest = read_target(given, "y")
    assert target.n_missing == 2
    assert [target.classes[c] for c in target.codes] == ["a", "b", "a", "b"]
    assert rest.columns["x"].to_list() == [0, 2, 4, 5]
    assert rest.distinct("city").cells.to_list() != []
    assert len(rest.distinct("city").places) == 4
    assert given.n_rows == 6
    assert "y" in given.columns


def test_sparse_rows_go_with_their_target():
    given = Source({"y": pl.Series([1.0, None, 2.0, 1.0, 2.0])}, sparse=sp.csr_array(np.diag([1.0, 2, 3, 4, 5])))
    _, rest = read_target(given, "y")
    np.testing.assert_array_equal(rest.sparse.toarray().sum(axis=1), [1, 3, 4, 5])


def test_the_positive_class_is_the_rarer_one_and_the_later_on_a_tie():
    assert read_target(source_of(["no"] * 8 + ["yes"] * 4), "y")[0].positive == 1
    assert read_target(source_of(["no"] * 4 + ["yes"] * 8), "y")[0].positive == 0
    assert read_target(source_of(["no"] * 4 + ["yes"] * 4), "y")[0].positive == 1
    assert read_target(source_of(["a", "b", "c"] * 4), "y")[0].positive is None


def test_classes_are_in_order_of_value_or_as_declared():
    assert read_target(source_of(["10", "9", "2"] * 5), "y")[0].classes == ("2", "9", "10")
    sizes = pl.Series("y", ["L", "S", "L", "S"], dtype=pl.Enum(["S", "M", "L"]))
    assert read_target(Source({"y": sizes}), "y")[0].classes == ("S", "L")


def test_labels_are_classes_as_they_came():
    for given in ([1, 0, 1, 0], ["1", "0", "1", "0"]):
        target, _ = read_target(source_of(given), "y")
        assert target.labels.tolist() == given
        assert target.classes == ("0", "1")


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ([None, None, None], "Every cell of the target 'y' is missing"),
        (["?", "", "NA"], "Every cell"),
        ([7, 7, None, 7], "constant: every cell is 7"),
        (["a", "a", "a"], "constant"),
        (["a", "a", "b"], "1 class with a single row \\('b'\\)"),
        ([1.0, float("inf"), 2.0], "row 2: the value is infinite"),
        ([f"id{i}" for i in range(1500)] * 2, "1,500 classes in 3,000 rows"),
    ],
)
def test_targets_that_cannot_be_learned(values, words):
    with pytest.raises(BadTarget, match=words):
        read_target(source_of(values), "y")


def test_an_absent_target_names_its_neighbours():
    with pytest.raises(BadColumn, match="Did you mean 'churn'"):
        read_target(open_source({"churn": [0, 1], "x": [1, 2]}), "Churned")


@pytest.mark.parametrize("written", [None, "%Y-%m-%d", "%d.%m.%Y"])
def test_a_target_of_dates_says_what_its_numbers_are(written):
    dates = [date(2020, 1, 1) + timedelta(days=7 * i) for i in range(60)]
    cells = dates if written is None else [day.strftime(written) for day in dates]
    found, _ = read_target(open_source(pl.DataFrame({"x": range(60), "when": cells})), "when")
    assert found.reason == "dates with 60 different values"
    assert found.numbers[0] == (dates[0] - date(1970, 1, 1)).days


def test_durations_are_predicted_in_seconds():
    target, _ = read_target(source_of([timedelta(minutes=k) for k in range(50)]), "y")
    assert (target.task, target.reason) == ("regression", "numbers with 50 different values, in seconds")
    np.testing.assert_array_equal(target.numbers, 60.0 * np.arange(50))


def test_texts_of_their_own_in_most_rows_are_no_classes():
    texts = [f"the {word} in room {i} was broken" for i in range(30) for word in ("lamp", "chair")]
    with pytest.raises(BadTarget, match="60 classes in 60 rows: it looks like an identifier or free text"):
        read_target(open_source({"x": list(range(60)), "y": texts}), "y")


def test_long_names_of_classes_with_a_single_row_are_cut():
    with pytest.raises(BadTarget) as found:
        read_target(open_source({"x": list(range(5)), "y": ["a", "a", "b", "b", "word " * 40]}), "y")
    assert "1 class with a single row" in str(found.value)
    assert len(str(found.value)) < 240


def test_a_few_cells_that_are_no_numbers_leave_amounts_amounts():
    cells = [f"{x:.2f}" for x in np.linspace(3, 90, 120)]
    cells[7], cells[40] = "tbd", "NA"
    target, rest = read_target(open_source({"x": list(range(120)), "price": cells}), "price")
    assert (target.task, target.n_missing, len(target.numbers)) == (Task.REGRESSION, 2, 118)
    assert target.reason.endswith("different values; 1 other cell read as missing: 'tbd' in row 8")
    assert rest.columns["x"].to_list() == [x for x in range(120) if x not in (7, 40)]
    with pytest.raises(BadTarget, match="classes with a single row"):
        read_target(open_source({"x": list(range(120)), "price": cells}), "price", "classification")
    with pytest.raises(BadTarget, match="holds 'tbd', which is not a number"):
        read_target(open_source({"x": [1] * 60, "price": ["1.5", "2", "tbd"] * 20}), "price", "regression")


def test_classes_that_a_few_rows_write_as_words_stay_classes():
    target, _ = read_target(
        open_source({"x": list(range(400)), "grade": ["1", "2", "3", "4"] * 99 + ["X"] * 4}), "grade"
    )
    assert target.classes == ("1", "2", "3", "4", "X")


def test_limits_of_a_target_are_the_numbers_that_they_name():
    cells = [f"{x:.1f}" if x > 5 else "<5" for x in np.linspace(3, 90, 120)]
    target, _ = read_target(open_source({"x": list(range(120)), "crp": cells}), "crp")
    assert target.task is Task.REGRESSION
    assert target.numbers.min() == 5
    assert "limits" in target.reason


@pytest.mark.parametrize("word", ["-", "n.d.", "#DIV/0!", "unknown"])
def test_a_target_of_amounts_with_cells_that_say_nothing(word):
    values = [f"{100 + 7 * k / 3:.2f}" if k % 4 else word for k in range(80)]
    target, rest = read_target(source_of(values), "y")
    assert target.task == "regression"
    assert (target.n_missing, len(target.numbers), rest.n_rows) == (20, 60, 60)


@pytest.mark.parametrize(("place", "stray"), [(2950, "tbd"), (2950, "<9000")])
def test_strays_and_limits_below_the_first_thousands_of_values(place, stray):
    values = [f"{10_000 + k}.5" for k in range(3000)]
    values[place] = stray
    target, _ = read_target(source_of(values), "y")
    assert target.task == "regression"
    assert target.n_missing == (stray == "tbd")


def test_words_beside_numbers_are_named_with_what_to_type():
    values = [str(100.5 + k) if k % 3 else "(x)" for k in range(60)]
    with pytest.raises(BadTarget, match=r"Numbers beside '\(x\)'\? To have them read, say --missing 'y=\(x\)'"):
        read_target(source_of(values), "y")


def test_a_target_of_one_value_and_blanks_says_what_to_write():
    with pytest.raises(BadTarget, match=r"every cell is 'x', or blank \(20 rows\).*where a blank means 'no'"):
        read_target(source_of(["x", None] * 20), "y")
