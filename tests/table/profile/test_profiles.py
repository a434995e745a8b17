"""Kinds, levels and reasons inferred from chunks are those inferred from all rows at once."""

import datetime as dt
from itertools import pairwise

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mercer.errors import BadColumn
from mercer.scale import as_chunks
from mercer.scale.chunks import chunk_source
from mercer.scale.engine import Local
from mercer.scale.survey import survey
from mercer.table import infer, open_source
from mercer.table.formats.source import Source
from mercer.table.infer import infer_profiles
from mercer.table.profile import counts as sketches
from mercer.table.profile.column import ColumnProfile

CELLS = {
    "whole numbers": st.integers(-3, 40),
    "counting": st.just(0),
    "large numbers": st.integers(0, 2**40),
    "two numbers": st.sampled_from([0, 1]),
    "two other numbers": st.sampled_from([2, 7]),
    "numbers and a marker": st.sampled_from([-999, *range(12)]),
    "written numbers and a marker": st.sampled_from(["99999", "-99", *map(str, range(12))]),
    "floats": st.floats(-1e6, 1e6),
    "levels": st.sampled_from(["a", "b", "c d", "e"]),
    "scale": st.sampled_from(["low", "medium", "high", "unknown"]),
    "ranges": st.sampled_from(["0-9", "10-19", "20+"]),
    "codes": st.sampled_from(["007", "12", "00"]),
    "written numbers": st.sampled_from(["1", "2.5", "-3", "4e2", "17", "18", "19", "20", "21", "22", "23", "24"]),
    "numbers and a stray": st.one_of(st.integers(0, 500).map(str), st.just("12"), st.sampled_from(["1", "oops"])),
    "money": st.integers(0, 5000).map(lambda n: f"${n:,}.50"),
    "dates": st.dates(dt.date(2020, 1, 1), dt.date(2022, 12, 31)).map(str),
    "sentences": st.lists(st.sampled_from(["good", "bad", "food", "wine"]), min_size=3, max_size=6).map(" ".join),
    "names": st.integers(0, 10**9).map(lambda n: f"id-{n}"),
    "truth": st.booleans(),
    "one value": st.just("yes"),
    "days": st.dates(dt.date(2020, 1, 1), dt.date(2022, 12, 31)),
}  # fmt: skip


@st.composite
def columns(draw, n):
    what = draw(st.sampled_from(sorted(CELLS)))
    if what == "counting":
        return list(range(n))
    cells = draw(st.lists(CELLS[what], min_size=n, max_size=n))
    gaps = draw(st.sampled_from([0, 0, 3]))
    for row in draw(st.lists(st.integers(0, n - 1), max_size=gaps)):
        cells[row] = None
    return cells


@st.composite
def sources(draw):
    n = draw(st.integers(1, 60))
    names = ["a", "id", "zip code"][: draw(st.integers(1, 3))]
    found = open_source({name: draw(columns(n)) for name in names})
    typed = draw(st.sampled_from([frozenset(), found.typed]))
    cuts = sorted(draw(st.lists(st.integers(0, n), max_size=5)))
    return Source(found.columns, typed=typed), [0, *cuts, n]


def chunk(source, start, stop):
    columns = {name: cells[start:stop] for name, cells in source.columns.items()}
    return Source(columns, typed=source.typed)


def merged(profiles):
    while len(profiles) > 1:
        profiles[:2] = [{name: column.merge(profiles[1][name]) for name, column in profiles[0].items()}]
    return profiles[0]


@settings(max_examples=150, deadline=None)
@given(sources())
def test_chunks_of_any_size_give_the_schema_of_all_rows(drawn):
    source, cuts = drawn
    parts = [chunk(source, a, b) for a, b in pairwise(cuts) if b > a]
    profiles = [{name: ColumnProfile.of(p, name, "a chunk") for name in p.columns} for p in parts]
    assert infer_profiles(merged(profiles)) == infer(source)


def schema_of(chunks, **kinds):
    return survey(as_chunks(chunks), Local(), "y", kinds or None, classes=True).schema


def test_a_given_kind_holds_in_all_chunks():
    rows = pd.DataFrame({"zip": [3, 1, 2, 3, 5, 4], "y": ["a", "b"] * 3})
    found = schema_of([rows[:3], rows[3:]], zip="category")
    assert found["zip"].levels == ("1", "2", "3", "4", "5")


def test_declared_levels_of_chunks_are_joined():
    first = pl.DataFrame({"c": pl.Series(["u", "v"], dtype=pl.Categorical), "y": [0, 1]})
    second = pl.DataFrame({"c": pl.Series(["w", "v"], dtype=pl.Categorical), "y": [0, 1]})
    assert schema_of([first, second])["c"].levels == ("u", "v", "w")


def test_ordered_levels_that_differ_are_refused_by_the_name_of_the_chunk():
    first = pl.DataFrame({"c": pl.Series(["u", "v"], dtype=pl.Enum(["u", "v"])), "y": [0, 1]})
    second = pl.DataFrame({"c": pl.Series(["v", "u"], dtype=pl.Enum(["v", "u"])), "y": [0, 1]})
    with pytest.raises(BadColumn, match="chunk 2 are not those in chunk 1"):
        schema_of([first, second])


def test_dates_in_one_chunk_and_texts_in_another_are_refused():
    days = pl.DataFrame({"d": [dt.date(2020, 1, 1)], "y": [0]})
    texts = pl.DataFrame({"d": ["soon"], "y": [1]})
    with pytest.raises(BadColumn, match="'d' holds cells of type Date in chunk 1, but texts in chunk 2"):
        schema_of([days, texts])


def test_of_too_many_levels_the_most_frequent_are_kept(monkeypatch):
    monkeypatch.setattr(sketches, "MOST", 50)
    rng = np.random.default_rng(0)
    cells = np.where(rng.random(4000) < 0.5, "common", np.char.add("rare", rng.integers(0, 900, 4000).astype(str)))
    rows = pd.DataFrame({"c": cells, "y": rng.integers(0, 2, 4000)})
    column = schema_of([rows[k : k + 500] for k in range(0, 4000, 500)])["c"]
    assert "common" in column.levels
    assert len(column.levels) <= 50
    assert "most frequent are kept" in column.reason
    told = float(column.reason.split(" ")[0].replace(",", ""))
    assert told == pytest.approx(rows.c.nunique(), rel=0.5)


def test_a_sketch_of_hashes_does_not_depend_on_the_chunks():
    values = np.random.default_rng(0).integers(0, 10**9, 200_000)
    whole = sketches.Smallest.of(sketches.number_hashes(values))
    parts = [sketches.Smallest.of(sketches.number_hashes(p)) for p in np.array_split(values, 7)]
    joined = parts[0]
    for part in parts[1:]:
        joined = joined.merge(part)
    np.testing.assert_array_equal(joined.hashes, whole.hashes)
    assert whole.n_different() == pytest.approx(len(np.unique(values)), rel=4 / np.sqrt(sketches.MOST))


def test_a_chunk_without_rows_has_no_source():
    assert chunk_source(as_chunks([{"a": [1]}]).parts[0], pd.DataFrame({"a": []}), ()) is None


@pytest.mark.parametrize("texts_first", [True, False])
def test_numbers_in_one_chunk_and_texts_in_another_are_the_column_of_texts_that_both_make(texts_first):
    numbers, texts = list(range(40)) * 3, ["some", "other", "7"] * 20
    order = [texts, numbers] if texts_first else [numbers, texts]
    parts = [Source({"c": pl.Series(cells), "y": pl.Series([0, 1] * (len(cells) // 2))}) for cells in order]
    together = Source({"c": pl.Series([str(cell) for cells in order for cell in cells])})
    assert schema_of(parts)["c"] == infer(together)["c"]


def test_a_constant_number_is_a_level_where_an_encoder_has_no_other_column():
    parts = [Source({"c": pl.Series([3.0, 3.0])}), Source({"c": pl.Series([3.0])})]
    found = survey(as_chunks(parts), Local(), None, None, classes=None, learned=False).schema
    assert found["c"].levels == ("3",)


def test_a_number_is_the_same_level_in_chunks_of_whole_numbers_and_of_others():
    cells = [1.0, 2.0, 1.5, 1.0]
    parts = [Source({"c": pl.Series(some), "y": pl.Series([0, 1])}) for some in (cells[:2], cells[2:])]
    assert schema_of(parts, c="category")["c"].levels == ("1", "1.5", "2")
    assert infer(Source({"c": pl.Series(cells)}), {"c": "category"})["c"].levels == ("1", "1.5", "2")
