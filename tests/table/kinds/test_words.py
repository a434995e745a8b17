"""Texts and levels told apart."""

from __future__ import annotations

import numpy as np
import pytest

import mercer
from mercer.table.kinds.words import text_reason

DAMAGES = ["rear end collision", "stolen at night", "hail damage", "parking lot scratch", "total loss fire"]
PLACES = ["highway", "street", "drive way"]


def _notes(n_rows: int) -> list[str]:
    """Up to 75 different notes, put together from 16 words."""
    rng = np.random.default_rng(0)
    draws = zip(rng.choice(DAMAGES, n_rows), rng.choice(DAMAGES, n_rows), rng.choice(PLACES, n_rows), strict=True)
    return [f"{first} {second} on {place}" for first, second, place in draws]


def test_cells_that_mostly_differ_are_texts() -> None:
    cells = [f"row {i} has words of its own{i}" for i in range(10)]
    assert text_reason(cells, 10, 12) == "7 words a cell, 83% of the cells differ"


def test_many_levels_of_the_same_words_are_texts() -> None:
    column = mercer.read_table({"note": _notes(1500)}).schema["note"]
    assert str(column.kind) == "text"
    assert "different cells of the same" in column.reason


@pytest.mark.parametrize(
    ("cells", "why"),
    [
        (_notes(6_000), "many rows a level"),
        ([*DAMAGES] * 100, "few levels"),
        ([f"name{i} of place{i}" for i in range(100)] * 3, "words of their own"),
        ([f"word{i % 10} word{i % 7}" for i in range(300)], "two words"),
    ],
)
def test_other_levels_stay_levels(cells: list[str], why: str) -> None:
    assert str(mercer.read_table({"note": cells}).schema["note"].kind) == "category", why


def test_words_tell_what_rare_levels_cannot() -> None:
    """A note that no training row has is known by its words."""
    notes = np.array(_notes(1500))
    stolen = np.array(["stolen" in note for note in notes])
    new = notes == "stolen at night hail damage on street"
    model = mercer.NaiveBayes().fit({"note": notes[~new]}, stolen[~new])
    assert model.predict({"note": notes[new]}).all()
