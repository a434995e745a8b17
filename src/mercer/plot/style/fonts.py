"""Names in any script: other fonts for letters that the usual one has not; spelled out where no font has them."""

from __future__ import annotations

import unicodedata
import warnings
from collections.abc import Iterable, Iterator
from contextlib import suppress
from itertools import chain, groupby
from typing import TYPE_CHECKING, Any

from mercer.errors import MercerWarning

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axis import Axis
    from matplotlib.text import Text

_USUAL = "\u024f"  # every font for text has the letters up to here
_LAST = "Mono", "Serif"  # in names of families that are taken where no other has a letter
_NO_LETTERS = "LastResort", "Last Resort", "Adobe Blank", "Color Emoji"  # boxes, blanks, pictures that are not drawn
_MOST_SPELLED = 6  # ideographs in a row: of more, the first and the last
_EAST_ASIAN = "CJK", "HIRAGANA", "KATAKANA", "HANGUL", "FULLWIDTH", "IDEOGRAPHIC"
_TOLD: set[str] = set()  # fonts that were named as missing
_FAMILIES: dict[str, str] = {}  # that have a letter, "" where none has


def legible(picture: Artist) -> None:
    """Gives the texts of a picture fonts that have their letters, or spells these out; and leaves dollars alone."""
    from matplotlib.axis import Axis  # noqa: PLC0415
    from matplotlib.table import Cell  # noqa: PLC0415
    from matplotlib.text import Text  # noqa: PLC0415

    beside: set[Text] = set()
    for axis in picture.findobj(Axis):
        beside.update(axis.findobj(Text))
        axis.label.set_parse_math(False)
        _legible(axis.label)
        _legible_ticks(axis)
    cells = {cell.get_text() for cell in picture.findobj(Cell)}  # of a table: no children of theirs for matplotlib
    for text in (set(picture.findobj(Text)) | cells) - beside:
        text.set_parse_math(False)  # "$10 to $20" is no formula
        _legible(text)


def spelled_out(words: str) -> str:
    """The words with letters spelled out that no font has; what is cut to a length is spelled out before."""
    from matplotlib.text import Text  # noqa: PLC0415

    return words if max(words, default="") <= _USUAL else _drawable(words, Text())[0]


def letters(words: str) -> int:
    """How many usual letters a text is as wide as: those of East Asia are twice as wide."""
    return len(words) + sum(unicodedata.east_asian_width(letter) in "WF" for letter in words if letter > _USUAL)


def _legible(text: Text) -> None:
    words, families = _drawable(text.get_text(), text)
    if families:
        text.set_fontfamily(families)
        text.set_fontweight("normal")  # few of the others have a bold one, and matplotlib says so in its log
    if words != text.get_text():
        text.set_text(words)


def _legible_ticks(axis: Axis) -> None:
    """Of ticks that have names; those of numbers may be formulas, and have usual letters."""
    from matplotlib.ticker import FixedLocator  # noqa: PLC0415

    if not isinstance(axis.get_major_locator(), FixedLocator):
        return
    labels = axis.get_majorticklabels()
    found = [_drawable(label.get_text(), label) for label in labels]
    if any(words != label.get_text() for (words, _), label in zip(found, labels, strict=True)):
        axis.set_ticklabels([words for words, _ in found])
    families = list(dict.fromkeys(family for _, some in found for family in some))
    if families:
        axis.set_tick_params(labelfontfamily=families)
    for label in axis.get_majorticklabels():
        label.set_parse_math(False)


def _drawable(words: str, text: Text) -> tuple[str, list[str]]:
    """The words, with letters that no font has spelled out, and the families to draw them with if others are needed."""
    from matplotlib import font_manager  # noqa: PLC0415

    rare = {letter for letter in words if letter > _USUAL}
    if not rare:
        return words, []
    usual = font_manager.get_font(font_manager.findfont(text.get_fontproperties()))
    found = _families({letter for letter in rare if not _has(usual, letter)})
    others = sorted({family for family in found.values() if family})
    nowhere = {letter for letter, family in found.items() if not family}
    _tell(nowhere)
    runs = ("".join(run) for run in _runs(words, nowhere))
    spelled = "".join(_spelled(run) if run[0] in nowhere else run for run in runs)
    return spelled, [*text.get_fontfamily(), *others] if others else []


def _families(letters: set[str]) -> dict[str, str]:
    """For each letter the family of an installed font that has it, "" where none has; a font is opened once for all."""
    unknown = letters - _FAMILIES.keys()
    fonts = chain(_listed(), _unlisted()) if unknown else ()
    for name, font in fonts:
        has = {letter for letter in unknown if _has(font, letter)}
        _FAMILIES.update(dict.fromkeys(has, name))
        unknown -= has
        if not unknown:
            break
    _FAMILIES.update(dict.fromkeys(unknown, ""))
    return {letter: _FAMILIES[letter] for letter in letters}


def _has(font: Any, letter: str) -> bool:
    return bool(font.get_char_index(ord(letter)))


def _listed() -> Iterator[tuple[str, Any]]:
    """Upright fonts that matplotlib knows, opened: without serifs first."""
    from matplotlib import font_manager  # noqa: PLC0415

    upright = [e for e in font_manager.fontManager.ttflist if e.style == "normal"]
    for entry in sorted(upright, key=lambda e: (any(part in e.name for part in _LAST), e.name, str(e.weight))):
        if not any(part in entry.name for part in _NO_LETTERS):
            yield from _opened(entry)


def _unlisted() -> Iterator[tuple[str, Any]]:
    """Fonts that were installed after matplotlib made its list, which are put on it."""
    from matplotlib import font_manager  # noqa: PLC0415

    known = {entry.fname for entry in font_manager.fontManager.ttflist}
    for path in sorted(set(font_manager.findSystemFonts()) - known):
        with suppress(OSError, RuntimeError, ValueError):  # such as fonts of coloured pictures
            font_manager.fontManager.addfont(path)
            yield from _opened(font_manager.fontManager.ttflist[-1])


def _opened(entry: Any) -> Iterator[tuple[str, Any]]:
    from matplotlib import font_manager  # noqa: PLC0415

    several = getattr(entry, "index", 0)  # faces of one file, which matplotlib 3.11 tells apart
    with suppress(OSError, RuntimeError):
        yield entry.name, font_manager.get_font(font_manager.FontPath(entry.fname, several) if several else entry.fname)


def _runs(words: str, nowhere: set[str]) -> Iterator[list[str]]:
    """The letters in runs of those that some font has and those that none has, by script."""
    for _, run in groupby(words, lambda letter: _script(letter) if letter in nowhere else ""):
        yield list(run)


def _script(letter: str) -> str:
    return unicodedata.name(letter, "?").partition(" ")[0]


def _spelled(run: str) -> str:
    """Letters as their names say: 한글 as hangeul, 東京 as U+6771 U+4EAC, a symbol as what it shows."""
    if _is_hidden(run[0]):
        return ""
    if _script(run[0]) == "CJK":
        codes = [f"U+{ord(letter):04X}" for letter in run]
        return " ".join(codes if len(codes) <= _MOST_SPELLED else [*codes[:3], "…", *codes[-2:]])
    names = [unicodedata.name(letter, "").lower() or f"U+{ord(letter):04X}" for letter in run]
    if unicodedata.category(run[0])[0] in "LM":
        return "".join(name.rpartition(" ")[2] for name in names)
    return "".join(f"({name})" for name in names)


def _is_hidden(letter: str) -> bool:
    """Joiners, and signs for a variant of the letter before."""
    return unicodedata.category(letter) == "Cf" or _script(letter) == "VARIATION"


def _tell(nowhere: Iterable[str]) -> None:
    """Which fonts to install, each once in a process."""
    letters = sorted(letter for letter in nowhere if not _is_hidden(letter))
    wanted = sorted({_font_for(letter) for letter in letters} - _TOLD)
    if wanted:
        _TOLD.update(wanted)
        warnings.warn(
            f"No font here has {' '.join(letters[:4])}: pictures spell such letters out. For the letters themselves, "
            f"install the font {' and '.join(wanted)}.",
            MercerWarning,
            stacklevel=6,
        )


def _font_for(letter: str) -> str:
    script = _script(letter)
    if script in _EAST_ASIAN:
        return "Noto Sans CJK"
    return f"Noto Sans {script.title()}" if unicodedata.category(letter)[0] in "LMN" else "Noto Emoji"
