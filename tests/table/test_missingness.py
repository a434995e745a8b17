"""Which columns get a column "<name> is missing": tests of independence against SciPy's, and the columns themselves."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

import mercer
from mercer.errors import BadFile
from mercer.state import Reader
from mercer.table import Kind, from_array
from mercer.table.missingness import MissingIndicators, association, columns_with_gaps, flag_name

RNG = np.random.default_rng(3)
N = 200


def test_classes_are_tested_as_in_a_contingency_table() -> None:
    missing, codes = RNG.random(N) < 0.3, RNG.integers(0, 4, N)
    table = np.array([np.bincount(codes[missing == m], minlength=4) for m in (False, True)])
    statistic = stats.chi2_contingency(table, correction=False).statistic
    assert association(missing, codes, None) == pytest.approx(stats.chi2.sf(statistic * (N - 1) / N, 3), rel=1e-12)


def test_numbers_are_tested_by_ranks() -> None:
    missing, numbers = RNG.random(N) < 0.3, RNG.normal(size=N).round(1)  # with ties
    expected = stats.kruskal(numbers[missing], numbers[~missing]).pvalue
    assert association(missing, numbers, None) == pytest.approx(expected, rel=1e-10)


@pytest.mark.parametrize("numbers", [False, True])
def test_a_row_of_weight_three_is_three_rows(numbers: bool) -> None:
    missing, codes = RNG.random(N) < 0.3, RNG.integers(0, 3, N)
    target = RNG.normal(size=N).round(1) if numbers else codes
    weight = RNG.integers(0, 4, N)
    repeated = association(np.repeat(missing, weight), np.repeat(target, weight), None)
    assert association(missing, target, weight.astype(float)) == pytest.approx(repeated, rel=1e-10)


def test_ten_missing_and_ten_known_cells_are_needed() -> None:
    codes = np.repeat([0, 1], [10, 30])
    for gone, decided in ((codes == 0, True), ((np.arange(40) < 9), False), (np.arange(40) > 8, False)):
        assert (association(gone, codes, None) < 1e-6) == decided


def test_a_constant_target_is_associated_with_nothing() -> None:
    missing = np.arange(40) < 20
    assert association(missing, np.zeros(40, dtype=np.int32), None) == 1.0
    assert association(missing, np.full(40, 2.5), None) == 1.0


def test_gaps_that_have_nothing_to_do_with_the_target_are_rarely_flagged() -> None:
    flagged = 0
    for _ in range(400):
        cells = np.where(RNG.random((120, 5)) < 0.3, np.nan, 0.0)
        found = MissingIndicators.learn(from_array(cells), [RNG.integers(0, 3, 120)], None, Kind.BINARY)
        flagged += bool(found.columns)
    assert flagged <= 36  # 5 % are 20; more than 36 come once in 3,000 runs


def mixed() -> tuple[mercer.table.Table, np.ndarray]:
    y = np.repeat([0, 1], 30)
    age = np.where(y == 1, np.nan, np.arange(60.0))
    job = [None if c and i % 4 else "ab"[i % 2] for i, c in enumerate(y)]
    columns = {"age": age, "job": job, "city": ["x", "y", "z"] * 20, "height": np.where(np.arange(60) % 2, 1.5, np.nan)}
    return mercer.read_table(columns), y


def test_derived_columns_follow_the_others_and_say_where_cells_are_missing() -> None:
    table, y = mixed()
    assert columns_with_gaps(table) == ["age", "job", "height"]
    found = MissingIndicators.learn(table, [y], None, Kind.BINARY)
    assert found.columns == ("age", "job")
    made = found.apply(table)
    assert made.columns == (*table.columns, "age is missing", "job is missing")
    np.testing.assert_array_equal(made.codes("age is missing")[:, 0], table.missing("age"))
    assert made.schema["job is missing"].levels == ("no", "yes")
    assert found.input_schema(made.schema) == table.schema


def test_true_takes_every_column_with_a_gap_and_false_none() -> None:
    table, y = mixed()
    of = {c: MissingIndicators.learn(table, [], None, Kind.BINARY, c).columns for c in ("auto", True, False)}
    assert of == {"auto": (), True: ("age", "job", "height"), False: ()}
    assert MissingIndicators.learn(table, [1 - y], None, Kind.BINARY, False).apply(table) is table


def test_a_column_that_has_the_name_already_stays_alone() -> None:
    table = mercer.read_table({"age": [None, *range(20)], "age is missing": ["yes"] + ["no"] * 20})
    assert MissingIndicators.learn(table, [], None, Kind.BINARY, True).columns == ()


def test_among_numbers_of_single_precision_the_indicators_are_too() -> None:
    cells = np.array([[1.0, np.nan], [2.0, 3.0]], dtype=np.float32)
    made = MissingIndicators(("x1",), Kind.NUMERIC).apply(from_array(cells))
    assert made.numbers().dtype == np.float32
    np.testing.assert_array_equal(made.numbers("x1 is missing")[:, 0], [1, 0])


@pytest.mark.parametrize(
    "change",
    [{"columns": []}, {"columns": ["age", "age"]}, {"columns": ["nobody"]}, {"kind": "text"}, {"columns": ["city"]}],
)
def test_a_state_that_does_not_fit_is_refused(change: dict[str, object]) -> None:
    table, _ = mixed()
    schema = MissingIndicators(("city",)).schema(table.schema)  # "city" has its flag already
    state = MissingIndicators(("age", "job")).to_state()
    assert MissingIndicators.from_state(Reader(state), schema).columns == ("age", "job")
    with pytest.raises(BadFile):
        MissingIndicators.from_state(Reader(state | change), schema)


def test_flag_name() -> None:
    assert flag_name("age") == "age is missing"
