"""Numbers that may stand for a missing value are told in memory and over chunks, and read as missing when named."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import mercer
from mercer.table.kinds.markers import Ends, missing_marker

NUMBERS = st.sampled_from([-999.0, -99.0, 99.0, 999.0, 0.0, 1.0, 2.5, 7.0, 40.0, 98.0])


@given(st.lists(st.lists(NUMBERS, min_size=1), min_size=1))
def test_chunks_together_say_what_their_rows_say(chunks):
    def ends(values):
        return Ends.of(min(values), max(values), np.array(values))

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
