"""Columns that say how rows are split and weighted: drop, weight, group, time."""

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

from mercer.errors import BadTable, ColumnWarning, MercerError
from mercer.evaluation.comparison import compare_learners, prepare
from mercer.evaluation.options import ComparisonOptions
from mercer.table import open_source


def rows(n=300, seed=0):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=n)
    return {
        "x": x.tolist(),
        "patient": [f"p{i % 60}" for i in range(n)],
        "day": [f"2024-{1 + i % 12:02}-{1 + i % 28:02}" for i in range(n)],
        "w": rng.integers(1, 5, n).tolist(),
        "same": [3.5] * n,
        "y": np.where(x + rng.normal(0, 0.5, n) > 0.3, "yes", "no").tolist(),
    }


def context(data, **options):
    return prepare(open_source(data), "y", ComparisonOptions(repeats=1, learners=("linear", "baseline"), **options))


def test_dropped_columns_are_not_learned_from():
    found = context(rows(), drop=("patient", "day", "same"))
    assert list(found.table.columns) == ["x", "w"]
    with pytest.raises(MercerError, match="that is the target"):
        context(rows(), drop=("y",))
    with pytest.raises(MercerError, match=r"pateint.*patient"):
        context(rows(), drop=("pateint",))


def test_a_part_of_a_date_is_dropped_alone():
    days = np.datetime64("2021-01-01") + 2 * np.arange(360)
    data = {"day": days.astype(str), "x": np.arange(360) % 7.0, "y": np.arange(360) % 2}
    parts = ("day (month)", "day (weekday)", "day (day of month)")
    assert set(parts) <= set(context(data).table.columns)
    found = context(data, drop=("day (month)", "day (weekday)"))
    assert found.table.columns == ("day", "day (day of month)", "x")
    assert context(data, drop=("day", "day (month)")).table.columns == ("x",)
    with pytest.raises(MercerError, match=r"drop = 'day \(mnth\)'.*Did you mean 'day \(month\)'"):
        context(data, drop=("day (mnth)",))
    with pytest.raises(MercerError, match="can be 'skip'"):
        context(data, kinds={"day (month)": "numeric"})


def test_the_kind_of_a_dropped_column_is_not_asked_for():
    found = context(rows(), drop=("patient", "day", "same"), kinds={"patient": "category", "w": "category"})
    assert list(found.table.columns) == ["x", "w"]
    with pytest.raises(MercerError, match="there is no column 'pateint'"):
        context(rows(), kinds={"pateint": "category"})


def test_groups_stay_together():
    data = rows()
    found = context(data, group="patient")
    assert "patient" not in found.table.columns
    patient = np.array(data["patient"])
    for train, test in [*found.plan.folds, (found.plan.train, found.plan.test)]:
        assert not set(patient[train]) & set(patient[test])
        assert len(train) > len(test) > 0
    assert found.plan.kind == "groups"


def test_groups_keep_rows_of_one_patient_from_inflating_the_score():
    rng = np.random.default_rng(1)
    base = rng.normal(size=(40, 3))
    label = rng.random(40) < 0.5
    each = np.repeat(np.arange(40), 10)
    x = base[each] + rng.normal(0, 0.01, (400, 3))
    data = {f"x{j}": x[:, j].tolist() for j in range(3)} | {"who": each.tolist(), "y": label[each].tolist()}
    areas = {}
    for group in (None, "who"):
        options = ComparisonOptions(repeats=1, learners=("neighbours",), group=group, drop=() if group else ("who",))
        found = compare_learners(prepare(open_source(data), "y", options), lambda what, share: None)
        areas[group] = found.best.cross_validated["roc_auc"].value
    assert areas[None] > 0.99
    assert areas["who"] < 0.75


def test_time_trains_on_earlier_and_tests_on_later_rows():
    data = rows()
    found = context(data, time="day")
    day = np.array(data["day"])
    for train, test in [*found.plan.folds, (found.plan.train, found.plan.test)]:
        assert max(day[train].tolist()) < min(day[test].tolist())
    assert found.plan.kind == "time"
    assert len(found.plan.folds) >= 2
    assert "day" not in found.table.columns


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"group": "same"}, "is the same in every row"),
        ({"time": "patient"}, "time = 'patient'"),
        ({"time": "same"}, "time = 'same': too few different times"),
        ({"weight": "patient"}, "weight = 'patient'"),
        ({"group": "patient", "time": "day"}, "not by both"),
    ],
)
def test_columns_that_cannot_be_used_so(options, words):
    with pytest.raises(MercerError, match=words):
        context(rows(), **options)


def test_weights_that_make_no_sense():
    data = rows()
    data["w"][7] = -1
    with pytest.raises(BadTable, match="0 or more"):
        context(data, weight="w")
    data["w"][7] = None
    with pytest.raises(BadTable, match="row 8"):
        context(data, weight="w")


def test_weights_count_in_fits_and_scores():
    data = rows()
    plan = context(data, weight="w")
    assert "w" not in plan.table.columns
    found = compare_learners(plan, lambda what, share: None)
    held = found.best.held_out["roc_auc"]
    truth = np.array(data["y"])[plan.plan.test] == "yes"
    x, w = (np.array(data[k])[plan.plan.test] for k in ("x", "w"))
    alone = {**rows(), "patient": ["p"] * 300, "day": ["2024-01-01"] * 300}
    only = compare_learners(context(alone, weight="w"), lambda what, share: None)
    assert only.best.held_out["roc_auc"].value == pytest.approx(roc_auc_score(truth, x, sample_weight=w))
    assert held.low < held.value < held.high


def test_a_row_of_weight_zero_is_not_learned_from():
    data = rows()
    data["w"] = [1 if i % 2 else 0 for i in range(300)]
    data["y"] = [y if i % 2 else "maybe" for i, y in enumerate(data["y"])]
    found = context(data, weight="w", drop=("patient", "day", "same"))
    result = compare_learners(found, lambda what, share: None)
    assert result.best_model.predict({"x": [-2.0, 0.0, 2.0]}).tolist() == ["no", "no", "yes"]


@pytest.mark.parametrize("role", ["weight", "group", "time"])
def test_the_target_says_nothing_else_of_the_rows(role):
    with pytest.raises(MercerError, match=f"{role} = 'y': that is the target"):
        context(rows(), **{role: "y"})


def test_a_column_of_words_is_no_time():
    with pytest.raises(
        BadTable, match=r"time = 'patient' holds 'p0', neither a number nor a date\. Name another column"
    ):
        context(rows(), time="patient")


def test_rows_that_no_group_holds_are_told():
    data = rows()
    data["patient"] = [None if i % 3 == 0 else p for i, p in enumerate(data["patient"])]
    assert any(
        said == "group = 'patient': 100 rows without a cell there are taken as unlike any other."
        for said in context(data, group="patient").source.notices
    )
    data["patient"] = list(range(300))
    assert any("no two rows have the same cell" in said for said in context(data, group="patient").source.notices)
    assert not context(rows(), group="patient").source.notices


def test_dates_are_no_weights():
    with pytest.raises(BadTable, match="weight = 'day' holds '2024-01-01', a date and no number"):
        context(rows(), weight="day")


def test_weights_of_one_class_alone_are_refused():
    data = rows()
    data["w"] = [0 if y == "yes" else 1 for y in data["y"]]
    with pytest.raises(BadTable, match="weight = 'w': only rows of 'no' weigh more than 0"):
        context(data, weight="w")


@pytest.mark.parametrize(
    ("cell", "said"), [(-2, "row 8: -2 is below 0. A weight is 0 or more"), (None, "row 8: the cell is missing")]
)
def test_rows_are_called_by_their_number_in_the_table(cell, said):
    data = rows()
    data["y"][1] = data["y"][3] = None  # left out before
    data["w"][7] = cell
    with pytest.raises(BadTable, match=said):
        context(data, weight="w")


def test_cells_that_are_no_numbers_are_called_by_the_row_of_the_table():
    data = rows()
    data["y"][1] = None
    data["x"] = ["tbd" if i == 7 else str(x) for i, x in enumerate(data["x"])]
    with pytest.warns(ColumnWarning, match="'tbd' in row 8"):
        context(data)
