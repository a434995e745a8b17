"""Whether cells are texts, whose words are to be counted, or levels."""

from __future__ import annotations

import re
from collections.abc import Sequence

_WORD = re.compile(r"[^\W\d_]{2,}\.?")
_ALL_DIFFERENT, _OWN, _WORDLESS = 0.95, 0.4, 0.1  # of the cells; of their parts, each met once; of cells with a word
_MIN_WORDS = 3  # a cell, in the mean
_MOSTLY_DIFFERENT = 0.5  # share of the cells
_MANY_LEVELS = 60
_FEW_ROWS_A_LEVEL = 50  # more, and what a level does can be learned without its words
_LEVELS_A_WORD = 5.0


def text_reason(known: Sequence[str], n_levels: float, n_known: int) -> str:
    """Why cells are texts; "" where they are levels.

    Cells of several words are texts where most of them differ. They are too where the levels are many, each of few
    rows, and put together from the same words: then the words tell of a level that was seen once, or never.

    known : the different cells, or many of them; n_levels : how many different cells there are; n_known : rows with one
    """
    words = [cell.split() for cell in known]
    mean = sum(map(len, words)) / len(words)
    if mean < _MIN_WORDS:
        return ""
    share = n_levels / n_known
    if share > _ALL_DIFFERENT and _are_numbers_of_things(words):
        return ""
    if share > _MOSTLY_DIFFERENT:
        return f"{mean:.0f} words a cell, {share:.0%} of the cells differ"
    if n_levels <= _MANY_LEVELS or n_known > _FEW_ROWS_A_LEVEL * n_levels:
        return ""
    different = [set(cell) for cell in words]
    vocabulary = set().union(*different)
    if sum(map(len, different)) < _LEVELS_A_WORD * len(vocabulary):
        return ""
    return f"{mean:.0f} words a cell, {n_levels:,.0f} different cells of the same {len(vocabulary):,} words"


def _are_numbers_of_things(cells: Sequence[Sequence[str]]) -> bool:
    """Whether the parts of cells are digits and codes that hardly come back, as in telephone numbers and IBANs."""
    parts = [part for cell in cells for part in cell]
    with_words = sum(any(_WORD.fullmatch(part) for part in cell) for cell in cells)
    return with_words < _WORDLESS * len(cells) and len(set(parts)) > _OWN * len(parts)
