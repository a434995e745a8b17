"""The example table: what its origin says of it, and columns of every kind."""

import numpy as np

import mercer
from mercer.table import Kind


def test_344_penguins_of_three_species_11_of_unknown_sex():
    table = mercer.load_penguins()
    counts = np.bincount(table.codes("Species").ravel())
    assert len(table) == 344 and sorted(counts.tolist()) == [68, 124, 152]
    assert (table.codes("Sex") < 0).sum() == 11


def test_numbers_levels_and_texts():
    kinds = {column.kind for column in mercer.load_penguins().schema}
    assert {Kind.NUMERIC, Kind.BINARY, Kind.CATEGORY} <= kinds
