"""Names in any script are drawn: in a font that has their letters, or spelled out, and said once; never as boxes."""

import warnings

import numpy as np
import pandas as pd
import pytest
from fontTools.fontBuilder import FontBuilder
from fontTools.pens.ttGlyphPen import TTGlyphPen
from matplotlib import font_manager
from matplotlib import pyplot as plt
from matplotlib.table import Cell
from matplotlib.text import Text

import mercer
from mercer import plot
from mercer.errors import MercerWarning
from mercer.plot.style import fonts, labels

RNG = np.random.default_rng(0)
# Of private letters there is no font anywhere; those of the other names are in some fonts of some machines.
KNOWN, NOWHERE = "\ue901\ue902", "\uf8f0"
TOWNS = ["Oslo", f"{KNOWN} town", f"{NOWHERE}by", "$10 to $20"]
ROWS = pd.DataFrame({f"age {KNOWN}": RNG.integers(20, 70, 120).astype(float), "town": RNG.choice(TOWNS, 120)})
LABELS = np.where((ROWS.iloc[:, 0] > 45) ^ (ROWS["town"] == "Oslo"), f"yes {KNOWN}", f"no {NOWHERE}")


@pytest.fixture(scope="module", autouse=True)
def private_font(tmp_path_factory):
    """A font with two private letters, known to matplotlib while the tests run."""
    pen = TTGlyphPen(None)
    pen.moveTo((0, 0))
    pen.lineTo((0, 500))
    pen.lineTo((500, 500))
    pen.closePath()
    names = [".notdef", "A", *(f"uni{ord(letter):04X}" for letter in KNOWN)]
    font = FontBuilder(1000, isTTF=True)
    font.setupGlyphOrder(names)
    font.setupCharacterMap({ord("A"): "A"} | {ord(letter): f"uni{ord(letter):04X}" for letter in KNOWN})
    font.setupGlyf(dict.fromkeys(names, pen.glyph()))
    font.setupHorizontalMetrics(dict.fromkeys(names, (600, 0)))
    font.setupHorizontalHeader(ascent=800, descent=-200)
    font.setupNameTable({"familyName": "Mercer Private", "styleName": "Regular"})
    font.setupOS2(sTypoAscender=800, usWinAscent=800, usWinDescent=200)
    font.setupPost()
    path = tmp_path_factory.mktemp("fonts") / "private.ttf"
    font.save(path)
    font_manager.fontManager.addfont(path)
    fonts._FAMILIES.clear()
    fonts._TOLD.clear()
    yield
    font_manager.fontManager.ttflist[:] = [e for e in font_manager.fontManager.ttflist if e.name != "Mercer Private"]
    fonts._FAMILIES.clear()


def pictures():
    tree, bayes = mercer.DecisionTreeClassifier(max_depth=3).fit(ROWS, LABELS), mercer.NaiveBayes().fit(ROWS, LABELS)
    age = ROWS.columns[0]
    return {
        "levels": lambda: plot.partial_dependence(tree, ROWS, "town"),
        "numbers": lambda: plot.partial_dependence(tree, ROWS, age),
        "regions": lambda: plot.decision_regions(tree, ROWS, LABELS, columns=[age, "town"]),
        "confusion": lambda: plot.confusion_matrix(tree, ROWS, LABELS),
        "tree": lambda: plot.tree(tree),
        "roc": lambda: plot.roc_curve(tree, ROWS, LABELS),
        "importances": lambda: plot.importances(tree, ROWS, LABELS),
        "explanation": lambda: plot.explanation(mercer.explain(tree, ROWS[:2])),
        "product": lambda: plot.bayes_product(bayes, ROWS, 3),
        "likelihood": lambda: plot.likelihood_table(bayes, "town"),
    }


def written(ax):
    found = [*ax.figure.findobj(Text), *(cell.get_text() for cell in ax.figure.findobj(Cell))]
    return "\n".join(text.get_text() for text in found)


@pytest.mark.parametrize("name", pictures())
def test_no_picture_has_a_letter_that_its_fonts_have_not(name):
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # matplotlib warns of missing letters
        warnings.simplefilter("ignore", MercerWarning)
        ax = pictures()[name]()
        ax.figure.canvas.draw()
    assert NOWHERE not in written(ax)
    if name not in ("importances", "numbers", "roc"):  # which name the age and the second class alone
        assert "U+F8F0" in written(ax)
    assert KNOWN in written(ax)
    plt.close("all")


def test_letters_that_no_font_has_are_told_once():
    fonts._TOLD.clear()
    ax = plt.figure().subplots()
    with pytest.warns(MercerWarning, match=r"No font here has .*: pictures spell such letters out\. .* install"):
        labels.words(ax, f"{NOWHERE} of {NOWHERE}", NOWHERE)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        labels.words(ax, f"{NOWHERE} again")
    plt.close("all")


def test_letters_are_spelled_as_their_names_say(monkeypatch):
    monkeypatch.setattr(fonts, "_families", lambda letters: dict.fromkeys(letters, ""))
    monkeypatch.setattr(fonts, "_has", lambda font, letter: False)
    monkeypatch.setattr(fonts, "_tell", lambda letters: None)
    told = {"東京": "U+6771 U+4EAC", "서울": "seoul", "ひらがな town": "hiragana town", "🙂": "(slightly smiling face)",
            "x\u200dy\ufe0f": "xy", "東" * 9: "U+6771 U+6771 U+6771 … U+6771 U+6771"}  # fmt: skip
    assert {name: fonts.spelled_out(name) for name in told} == told


def test_usual_names_open_no_font(monkeypatch):
    monkeypatch.setattr(fonts, "_families", lambda letters: pytest.fail("fonts were looked at"))
    labels.words(plt.figure().subplots(), "Größe, naïve, Łódź", "x")
    plt.close("all")


def test_dollars_are_no_formula():
    ax = plt.figure().subplots()
    labels.level_ticks(ax, "x", [0, 1], ["$10 to $20", "$20 to $30"])
    labels.words(ax, "from $1 to $2")
    ax.figure.canvas.draw()
    assert not ax.title.get_parse_math()
    assert not any(label.get_parse_math() for label in ax.get_xticklabels())
    plt.close("all")


def test_wide_letters_count_twice():
    assert fonts.letters("東京 x") == 6
    assert len(labels.short("Ａ" * 40, 28)) in (14, 28)  # in a font, and spelled out
