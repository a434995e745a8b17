"""The built site: nothing comes from outside, every name is in its index, it can be searched, and read by everybody.

`make docs` builds it; without it these tests are skipped.
"""

import re
from pathlib import Path
from types import ModuleType
from urllib.parse import unquote

import pytest

import mercer

SITE = Path(__file__).parents[2] / "build" / "docs"
LOADS = re.compile(r"""<(?:script|link|img|iframe|source|video|audio)\b[^>]*?\s(?:src|href)=["']([^"']+)["']""")
IMPORTS = re.compile(r"""url\(\s*["']?([^"')]+)|@import\s+["']([^"']+)""")
KINDS = {
    "home": "index.html",
    "guide": "mixed-tables.html",
    "formulas": "how-it-works.html",
    "wide tables": "kernels.html",
    "class": "reference/api/mercer.SVC.html",
    "function": "reference/api/mercer.train.html",
    "group": "reference/api/kernels.html",
    "terminal": "reference/cli.html",
    "benchmarks": "reference/benchmarks.html",
    "glossary": "reference/glossary.html",
    "gallery": "reference/gallery.html",
    "example": "reference/gallery/nbk-tax_returns.html",
    "search": "search.html",
}

pytestmark = pytest.mark.skipif(not (SITE / "index.html").exists(), reason="the site is not built: make docs")


def pages():
    """Every page; the theme leaves a template among its files."""
    return [page for page in SITE.rglob("*.html") if "_static" not in page.parts]


def outside(address):
    return re.match(r"(?:[a-z]+:)?//", address) is not None and not address.startswith("data:")


def test_no_page_loads_anything_from_outside():
    found = {
        (str(page.relative_to(SITE)), address)
        for page in pages()
        for address in LOADS.findall(page.read_text(encoding="utf-8"))
        if outside(address)
    }
    assert found == set()


def test_no_style_loads_anything_from_outside():
    for sheet in SITE.rglob("*.css"):
        addresses = [a or b for a, b in IMPORTS.findall(sheet.read_text(encoding="utf-8"))]
        assert [a for a in addresses if outside(a)] == [], sheet.name


def test_what_pages_link_to_is_there():
    missing = set()
    for page in pages():
        for address in re.findall(r"""\s(?:src|href)=["']([^"'#?]+)""", page.read_text(encoding="utf-8")):
            if not re.match(r"[a-z]+:|//", address) and not (page.parent / unquote(address)).exists():
                missing.add((page.name, address))
    assert missing == set()


def test_every_public_name_is_in_the_index():
    sphinx = pytest.importorskip("sphinx.util.inventory", reason="Sphinx is not installed: extra `docs`")
    with (SITE / "objects.inv").open("rb") as file:
        found = sphinx.InventoryFile.load(file, "", lambda base, page: page)
    names = {name for kind, entries in found.items() if kind.startswith("py:") for name in entries}
    public = {f"mercer.{name}" for name in mercer.__all__ if not isinstance(getattr(mercer, name), ModuleType)}
    assert public <= names
    assert {
        "mercer.kernels.RBF",
        "mercer.likelihoods.Gaussian",
        "mercer.plot.roc_curve",
        "mercer.table.Column",
    } <= names


@pytest.mark.parametrize(
    ("kind", "scheme"), [*((kind, "light") for kind in KINDS), ("home", "dark"), ("guide", "dark"), ("class", "dark")]
)
def test_axe_finds_nothing_and_a_phone_shows_the_page_whole(browser, axe, kind, scheme):
    page = browser.new_page(viewport={"width": 390, "height": 800}, color_scheme=scheme)
    page.goto((SITE / KINDS[kind]).as_uri())
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    page.set_viewport_size({"width": 1280, "height": 900})
    found = axe(page)
    page.close()
    assert found == []


def test_the_site_is_searched_without_a_server(browser):
    asked = []
    page = browser.new_page()
    page.on("request", lambda request: asked.append(request.url))
    page.goto((SITE / "search.html").as_uri() + "?q=Goodall3")
    page.wait_for_selector("#search-results li", timeout=20_000)
    results = page.inner_text("#search-results")
    page.close()
    assert "Goodall3" in results
    assert [url for url in asked if not url.startswith(("file:", "data:"))] == []
