"""Numbers as text: amounts, percentages, durations, counted nouns; for reports, explanations and the terminal."""

from __future__ import annotations

import math
from collections.abc import Sequence
from inspect import getdoc

_RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
NOTHING = "\N{EN DASH}"  # where there is no value
MINUS = "\N{MINUS SIGN}"
_ROOM_FOR_BOTH = 30  # letters, for the beginning of a text and the words in which it differs from others
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


def short_apart(texts: Sequence[object], most: int = 60) -> list[str]:
    """Each text by `short`; of those that would look alike, the words in which they begin to differ."""
    whole = [" ".join(str(text).split()) for text in texts]
    cut = [short(text, most) for text in whole]
    for alike in {one for one in cut if cut.count(one) > 1}:
        places = [i for i, one in enumerate(cut) if one == alike]
        letters = zip(*(whole[i] for i in places), strict=False)
        start = next((k for k, some in enumerate(letters) if len(set(some)) > 1), 0)
        start = max(whole[places[0]].rfind(" ", 0, start) + 1, start - most // 3)  # of the word
        head = alike[: most // 3] if most >= _ROOM_FOR_BOTH and start > most // 3 else ""
        for i in places if start > 0 else ():
            cut[i] = f"{head}…{_first(whole[i][start:], most - 1 - len(head))}"
    return cut


def _first(words: str, most: int) -> str:
    return words if len(words) <= most else f"{words[: most - 1]}…"


def ended(text: object) -> str:
    """With a full stop at its end, unless it has one: the name of a class may be "Inc."."""
    words = str(text)
    return words if words.endswith(".") else f"{words}."


def begun(text: object) -> str:
    """With a capital letter at its beginning; for words of ours, not for names."""
    words = str(text)
    return words[:1].upper() + words[1:]


def amount(value: float | None, digits: int | None = None) -> str:
    """Four significant digits without zeros at the end, or as many as given; thousands separated; also 2.4 × 10⁻⁷."""
    if value is None or math.isnan(value):
        return NOTHING
    if value and (abs(value) >= 1e9 or abs(value) < 1e-3):
        found = f"{value:.3g}"
        head, _, power = found.partition("e")
        found = f"{head} × 10{str(int(power)).translate(_RAISED)}" if power else found
        return found.replace("-", MINUS)
    if abs(value) >= 1000:
        return f"{value:,.0f}".replace("-", MINUS)
    found = f"{value:.4g}" if digits is None else f"{value:#.{digits}g}".removesuffix(".")
    return found.replace("-", MINUS)


def four_digits(value: float, sign: str = "") -> str:
    """Four significant digits; a large number in full, with commas: 12,346 and not 1.235e+04. The sign "+" shows it."""
    return f"{value:{sign},.0f}" if 1e4 <= abs(value) < 1e9 else f"{value:{sign}.4g}"


def threshold(probability: float) -> str:
    """Four decimals, or as many as show two digits: rare classes are called from small probabilities."""
    places = 4 if not 0 < probability < 1e-3 else min(12, 1 - math.floor(math.log10(probability)))
    return f"{probability:.{places}f}"


def odds_ratio(ratio: float | None) -> str:
    """Three digits, more where it is near 1, so that an effect is never shown as none; bounds where it is extreme."""
    if ratio is None or math.isnan(ratio):
        return NOTHING
    if not 1e-3 <= ratio <= 1e3:
        return "> 1,000" if ratio > 1 else "< 0.001"
    near = abs(ratio - 1)
    return f"{ratio:.{2 - math.floor(math.log10(near))}f}" if 1e-9 < near < 0.01 else amount(ratio, 3)


def p_value(p: float | None) -> str:
    """Three decimals; '< 0.001' below that."""
    if p is None or math.isnan(p):
        return NOTHING
    return f"{p:.3f}" if p >= 0.001 else "< 0.001"


def percent(share: float | None) -> str:
    """A share in percent, one decimal when it is small or nearly all."""
    if share is None or math.isnan(share):
        return NOTHING
    if 0 < share < 0.001:
        return "< 0.1 %"
    if 0.9995 <= share < 1:
        return "> 99.9 %"
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


def byte_size(n_bytes: float) -> str:
    """A number of bytes in words: 8 MB, 4 TB."""
    for unit in ("bytes", "kB", "MB", "GB"):
        if n_bytes < 1000:
            return f"{n_bytes:.3g} {unit}"
        n_bytes /= 1000
    return f"{n_bytes:.3g} TB"
