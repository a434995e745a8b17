"""The order of a column's levels, where they have one that everyone knows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from mercer.table.formats.notation import NOTATIONS, OF_YEARS, recognise
from mercer.table.kinds import ranges, steps
from mercer.table.kinds.scales import MONTHS, NO_ANSWER, SCALES, WEEKDAYS, places, word

RANGES, STEPS, PERIODS = "ranges", "steps", "periods"
NONE = "none"  # a marker of missing cells, and the first word of several scales
ORDERS = frozenset({RANGES, STEPS, PERIODS, *SCALES})
_MOST = 60


@dataclass(frozen=True, slots=True)
class Order:
    """Levels from the first to the last, the scale they are on, and levels that say that there is no answer."""

    levels: tuple[str, ...]
    scale: str
    no_answer: tuple[str, ...]

    @property
    def reason(self) -> str:
        """The order in words."""
        numbered = self.scale in (RANGES, STEPS, PERIODS)
        said = f"{self.scale}, in their order" if numbered else f"levels in order: {self.scale}"
        if not self.no_answer:
            return said
        return f"{said}; {', '.join(map(repr, self.no_answer))} read as missing"


def find_order(levels: Sequence[str], *, none: str | None = None) -> Order | None:
    """The order of some levels; None when no scale knows all of them, or two scales order them differently.

    Words that say that there is no answer, such as "unknown", have no place in an order and are set aside.

    none : how a cell is written that would be missing but for a scale that has the word "none"
    """
    if not 2 <= len(levels) <= _MOST:
        return None
    no_answer = tuple(level for level in levels if word(level) in NO_ANSWER)
    rest = [level for level in levels if level not in no_answer]
    if no_answer and (ordered := steps.in_order(levels)) is not None:  # a dash is negative below +
        return Order(tuple(ordered), STEPS, ())
    if len(rest) < 2:
        return None
    if none is not None and (found := _on_scales([*rest, none])):
        return Order(*found, no_answer)
    found = _on_scales(rest)
    if found is None and (ordered := ranges.in_order(rest)) is not None:
        found = tuple(ordered), RANGES
    if found is None and (ordered := steps.in_order(rest)) is not None:
        found = tuple(ordered), STEPS
    if found is None and (ordered := steps.labelled(rest)) is not None:
        found = tuple(ordered), STEPS
    if found is None and recognise(rest) in OF_YEARS:  # too few months or quarters for an axis of time
        found = tuple(sorted(rest, key=lambda level: _first_day(level) or 0.0)), PERIODS
    return None if found is None else Order(*found, no_answer)


def _on_scales(levels: list[str]) -> tuple[tuple[str, ...], str] | None:
    found: dict[tuple[str, ...], str] = {}
    for scale in SCALES:
        rank = places(levels, scale)
        if rank is not None and len(set(rank)) > 1:
            ordered = sorted(zip(rank, levels, strict=True))
            found.setdefault(tuple(level for _, level in ordered), scale)
    return next(iter(found.items())) if len(found) == 1 else None


def has_no_answer(cell: str) -> bool:
    """Whether a cell says that there is no answer: it has no place in an order."""
    # No such word begins or ends with a digit, as most cells of a table do, which are spared the search.
    return not (cell[:1].isdigit() or cell[-1:].isdigit()) and word(cell) in NO_ANSWER


def code_by_word(levels: Sequence[str], scale: str) -> Callable[[str], int | None]:
    """The code of a level that is written otherwise: 'LOW' is the level 'Low', 'Jan' is 'January', '< 18' is '<18'."""
    key = _key(scale)
    codes: dict[object, int] = {}
    for code, level in enumerate(levels):
        codes.setdefault(key(level), code)
    return lambda cell: None if (found := key(cell)) is None else codes.get(found)


def _first_day(cell: str) -> float | None:
    """The first day of a month, quarter or week of a year, in days since 1970-01-01."""
    notation = recognise([cell])
    return NOTATIONS[notation].number(cell) if notation is not None and notation in OF_YEARS else None


def _key(scale: str) -> Callable[[str], object]:
    if scale == RANGES:
        return ranges.interval
    if scale == STEPS:
        return steps.step
    if scale == PERIODS:
        return _first_day
    if scale in (MONTHS, WEEKDAYS):
        return lambda cell: next((known[w] for known in SCALES[scale] if (w := word(cell)) in known), None)
    return word
