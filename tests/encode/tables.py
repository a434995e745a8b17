"""Small mixed tables for the encoder tests, drawn by Hypothesis."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from mercer.table import Column, Kind, Table
from mercer.table.assemble import code_table, hstack, number_table
from mercer.table.blocks import Codes, Numbers, Texts
from mercer.table.schema import Schema

NUMBERS = st.floats(-1e6, 1e6).map(lambda x: round(x, 3))


@st.composite
def number_arrays(draw, gaps=True, columns=3):
    n = draw(st.integers(2, 12))
    values = draw(arrays(np.float64, (n, columns), elements=NUMBERS))
    if gaps:
        values[draw(arrays(np.bool_, values.shape))] = np.nan
        values[0] = draw(arrays(np.float64, columns, elements=NUMBERS))  # no column without a known number
    return values


@st.composite
def mixed_tables(draw):
    """Columns a, b (numbers), c (3 levels), d (binary), e (ordinal), f (text), with missing cells and unseen levels."""
    values = draw(number_arrays(columns=2))
    n = len(values)
    codes = draw(arrays(np.int32, (n, 3), elements=st.integers(-1, 2)))
    codes[0] = 0
    codes[:, 1] = np.minimum(codes[:, 1], 2)
    numbers = number_table([Column("a", Kind.NUMERIC), Column("b", Kind.NUMERIC)], values)
    levels = [
        Column("c", Kind.CATEGORY, ("x", "y", "z")),
        Column("d", Kind.BINARY, ("no", "yes")),
        Column("e", Kind.ORDINAL, ("low", "mid", "high")),
    ]
    words = draw(st.lists(st.sampled_from(["tea", "no tea", "Tea, tea and milk", None]), min_size=n, max_size=n))
    words[0] = "tea milk"
    empty = np.empty((n, 0))
    texts = Table(
        Schema((Column("f", Kind.TEXT),)), n, Numbers(empty), Codes(empty.astype(np.int32)),
        Texts(np.array(words, dtype=object)[:, None]),
    )  # fmt: skip
    parts = [code_table(levels, codes), numbers, texts]
    columns = {c.name: c for part in parts for c in part.schema}
    return hstack(parts, Schema(tuple(columns[n] for n in "acbdef")))


def same_cells(a: Table, b: Table) -> None:
    """Bit for bit."""
    assert a.schema == b.schema
    assert a.is_sparse == b.is_sparse
    np.testing.assert_array_equal(a.numbers(), b.numbers(), strict=True)
    np.testing.assert_array_equal(a.codes(), b.codes(), strict=True)
    np.testing.assert_array_equal(a.texts(), b.texts(), strict=True)
