"""Numbers as text: amounts, percentages, durations, counted nouns; for reports, explanations and the terminal."""

from __future__ import annotations

import math
from inspect import getdoc

NOTHING = "\N{EN DASH}"  # where there is no value
MINUS = "\N{MINUS SIGN}"
# Characters that a terminal obeys rather than shows: controls (escape sequences begin with one) and those that change
# the direction of writing; also surrogates, which stand for bytes of a file name that are not text.
_OBEYED = [*range(32), *range(127, 160), 0x61C, 0x200E, 0x200F, *range(0x2028, 0x202F), *range(0x2066, 0x206A)]
ESCAPES = {code: repr(chr(code))[1:-1] for code in [*_OBEYED, *range(0xD800, 0xE000)]}


def visible(text: object) -> str:
    r"""A name, level or path as one line for the terminal: characters that it would obey as escapes (\x1b)."""
    return str(text).translate(ESCAPES)


def short(text: object, most: int = 60) -> str:
    """Cut in the middle when longer than `most`, so that both ends can be told apart."""
    words = " ".join(str(text).split()) or "(blank)"
    if len(words) <= most:
        return words
    head = (most - 1) * 2 // 3
    return f"{words[:head]}…{words[len(words) - (most - 1 - head) :]}"


def amount(value: float | None) -> str:
    """Four significant digits, thousands separated."""
    if value is None or math.isnan(value):
        return NOTHING
    if value and (abs(value) >= 1e9 or abs(value) < 1e-3):
        return f"{value:.3g}".replace("-", MINUS, 1) if value < 0 else f"{value:.3g}"
    if abs(value) >= 1000:
        return f"{value:,.0f}".replace("-", MINUS)
    return f"{value:.4g}".replace("-", MINUS)


def percent(share: float | None) -> str:
    """A share in percent, one decimal when it is small or nearly all."""
    if share is None or math.isnan(share):
        return NOTHING
    if 0 < share < 0.001:
        return "< 0.1 %"
    digits = 0 if 0.1 <= share <= 0.9 else 1
    return f"{100 * share:.{digits}f}".removesuffix(".0") + " %"


def chance(probability: float | None) -> str:
    """A probability in percent, two digits when it is small."""
    if probability is None or math.isnan(probability):
        return NOTHING
    return f"{100 * probability:.2g} %" if 0 < probability < 0.01 else percent(probability)


def duration(seconds: float) -> str:
    """Milliseconds, seconds or minutes."""
    if seconds < 1:
        return f"{1000 * seconds:.0f} ms"
    return f"{seconds:.1f} s" if seconds < 90 else f"{seconds / 60:.1f} min"


def counted(n: int, noun: str, plural: str | None = None) -> str:
    """'1 row', '2 rows'."""
    return f"{n:,} {noun if n == 1 else plural or noun + 's'}"


def formula(part: object) -> str:
    """The formula of a kernel or distance: the first line of its docstring."""
    return (getdoc(type(part)) or type(part).__name__).splitlines()[0].rstrip(".")
