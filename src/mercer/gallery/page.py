"""All examples as one page."""

from __future__ import annotations

import base64
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from textwrap import dedent

from markupsafe import Markup

from mercer import __version__
from mercer.gallery.example import Example
from mercer.gallery.reproduction import DrawnPicture, Reproduction
from mercer.gallery.sources import SOURCES
from mercer.report.page import environment, policy, stylesheet

_TEMPLATES = Path(__file__).parent / "templates"


def render(found: Sequence[Reproduction], not_run: Sequence[tuple[Example, str]] = ()) -> str:
    """One self-contained page: figures, pictures and scripts inside, no network.

    Parameters
    ----------
    found : sequence of Reproduction
        What was run.
    not_run : sequence of tuple of Example and str
        What was not, and why.

    Returns
    -------
    str
        HTML.
    """
    folders = [(f, [r for r in found if r.example.name.startswith(f"{f}/")]) for f in SOURCES]

    return environment(_TEMPLATES).get_template("gallery.html").render(
        style=Markup(stylesheet()),
        policy=policy(None, images=True),
        sources=[(f, *SOURCES[f].split(": ", 1), ran) for f, ran in folders if ran],
        found=found,
        not_run=not_run,
        counts=Counter(c.verdict for r in found for c in r.comparisons),
        seconds=sum(r.seconds for r in found),
        version=__version__,
        paragraphs=paragraphs,
        address=_address,
    )  # fmt: skip


def paragraphs(text: str) -> list[tuple[bool, str]]:
    """The parts of a docstring between blank lines: (whether it is a formula, its text)."""
    parts = [part for part in text.split("\n\n") if part.strip()]
    return [(True, dedent(part)) if part.startswith("    ") else (False, " ".join(part.split())) for part in parts]


def _address(picture: DrawnPicture) -> str:
    return "data:image/png;base64," + base64.b64encode(picture.png).decode()
