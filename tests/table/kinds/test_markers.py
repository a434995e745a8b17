"""Numbers that may stand for a missing value are told in memory and over chunks, and read as missing when named."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import mercer
from mercer.evaluation.data.columns import missing_markers
from mercer.table.kinds.markers import Ends, missing_marker

NUMBERS = st.sampled_from([-999.0, -99.0, 99.0, 999.0, -1.0, 98.0, *(20.0 + k for k in range(15)), 40.0, 120.0])


@given(st.lists(st.lists(NUMBERS, min_size=1), min_size=1))
def test_chunks_together_say_what_their_rows_say(chunks):
    def ends(values):
        return Ends.of(np.array(values))

    merged = ends(chunks[0])
    for chunk in chunks[1:]:
        merged = merged.merge(ends(chunk))
    assert merged.marker() == ends([value for chunk in chunks for value in chunk]).marker()


@pytest.mark.parametrize(
    ("others", "marker", "n", "found"),
    [
        (np.arange(1, 31), -999, 2, True),
        (np.arange(1, 31), 9999, 3, True),
        (np.arange(1, 31), -999, 1, False),  # one alone is an outlier
        (np.arange(1, 31), -998, 3, False),
        (np.arange(18, 96), 99, 5, False),  # as far from the others as they are from each other
        (np.array([1, 2]), 9, 2, True),  # yes, no and "does not know"
        (np.array([0]), 99, 5, False),  # two numbers are levels
        (np.linspace(-5, 5, 50), -99, 2, True),
    ],
)
def test_what_is_far_from_all_others(others, marker, n, found):
    values = np.append(others.astype(float), [marker] * n)
    told = missing_marker(np.append(values, np.nan))
    assert (told is not None) == found
    if told:
        assert (told.value, told.n_rows, told.nearest) == (marker, n, others[np.abs(others - marker).argmin()])


@pytest.mark.parametrize("column", [[*map(str, range(60)), "-999", "-999"], [*range(60), -999, -999]])
def test_a_schema_says_so_until_it_is_named(column):
    said = mercer.read_table({"x": column}).schema["x"].reason
    assert "-999, in 3.2 % of the known cells, is far from all others (the nearest is 0)" in said
    assert said.endswith("say --missing 'x=-999'")
    named = mercer.read_table({"x": [str(cell) for cell in column]}, missing=["-999"])
    assert named.missing("x").sum() == 2 and "far from" not in named.schema["x"].reason


RANDOM = np.random.default_rng(5)
AGES = np.sort(RANDOM.integers(18, 91, 400)).astype(float)
INCOMES = np.round(RANDOM.lognormal(10, 0.5, 400))


@pytest.mark.parametrize(
    ("others", "codes", "values"),
    [
        (AGES, [99] * 16, (99.0,)),
        (AGES, [-1] * 3, (-1.0,)),
        (AGES, [-1] * 3 + [-2] * 2 + [-9], (-9.0, -2.0, -1.0)),
        (INCOMES, [99] * 16, (99.0,)),
        (INCOMES, [99] * 8 + [98] * 9, (99.0, 98.0)),
        (INCOMES, [-1] * 20, (-1.0,)),
        (np.arange(1.0, 6), [88, 99, 99], (99.0, 88.0)),
        (np.arange(0.0, 5), [-9, -8, -8], (-9.0, -8.0)),
        (np.arange(0.0, 61), [997, 998, 999, 999], (999.0, 998.0, 997.0)),
    ],
)
def test_codes_apart_from_ages_incomes_and_answers(others, codes, values):
    told = missing_marker(np.append(others, codes))
    assert told is not None
    assert (told.values, told.n_rows) == (values, len(codes))
    for value in values:
        assert f"--missing 'x={value:.0f}'" in told.statement("x", 100)


@pytest.mark.parametrize(
    "values",
    [
        np.append(AGES, [99]),  # one alone may be so old
        np.append(AGES, [97, 98, 99, 99]),
        np.append(RANDOM.integers(20, 100, 2000), [99] * 90),  # hours up to a cap, without a gap before it
        np.repeat([-1.0, 0, 1], 9),
        np.repeat([-2.0, -1, 0, 1, 2, 3], 9),
        np.append(np.arange(0, 60.0), [-1, -1, -1]),  # a count that may be one below 0
        np.append(np.arange(0, 60.0), [-1, -1, -1, -3.5]),
        np.repeat([1.0, 2, 3, 4, 5, 9], 9),
        np.repeat([99.0, 149, 199, 249, 299, 349, 399, 449, 499, 549, 599, 649], 5),  # prices
        np.repeat([9.0, 19, 29, 49, 99, 149, 199, 299, 499, 999], 9),
        np.append(INCOMES, [99]),
        np.append(RANDOM.normal(0, 30, 500).round(), [-99, -99]),
    ],
)
def test_what_may_be_an_amount_is_none(values):
    assert missing_marker(values) is None


def test_a_report_names_every_code():
    columns = {"income": [*INCOMES.tolist(), *[98.0] * 9, *[99.0] * 9], "n": list(range(418))}
    said = mercer.read_table({"income": [f"{v:.0f}" for v in columns["income"]]}).schema["income"].reason
    assert "99 and 98, in 4.3 % of the known cells, are apart from all others" in said
    assert said.endswith("say --missing 'income=99' --missing 'income=98'")
    table = mercer.read_table(pd.DataFrame(columns))
    assert missing_markers(table) == {99.0: ["income"], 98.0: ["income"]}


def test_missing_numbers_of_a_type_are_no_ends():
    """Where 13 numbers and NaN differ, the bound of the smallest was NaN, and no number was below it."""
    cells = np.array([np.nan] * 11 + [1.25, 0.5, 0.25, *np.arange(2.5, 11.5), -999.0])
    column = mercer.read_table({"x": cells}).schema["x"]
    assert column.reason == mercer.read_table({"x": cells[11:]}).schema["x"].reason
    assert "-999" in column.reason
