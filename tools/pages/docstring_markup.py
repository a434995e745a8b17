"""Docstrings are plain text with code in backticks: what reStructuredText would read as markup is escaped.

`|a - b|` would be a substitution, `support_` a link, `2*x*y` emphasis. Examples, names of parameters and titles of
sections stay as they are: numpydoc reads them.
"""

from __future__ import annotations

import re
from typing import Any

_MARKUP = re.compile(r"(`[^`]*`)|([|*\\])|(?<=\w)_(?!\w)")
_UNDERLINE = re.compile(r"\s*-{3,}\s*$")


def escaped(line: str) -> str:
    """The line with what is no code in backticks taken literally."""
    return _MARKUP.sub(lambda found: found.group(1) or "\\" + found.group(0), line)


def escape_lines(lines: list[str]) -> list[str]:
    """Every line of prose escaped."""
    found, example, named = [], False, False
    for number, line in enumerate(lines):
        example = line.lstrip().startswith(">>>") or (example and bool(line.strip()))
        underlined = number + 1 < len(lines) and bool(_UNDERLINE.match(lines[number + 1]))
        if _UNDERLINE.match(line):
            named = lines[number - 1].strip() in (
                "Parameters",
                "Returns",
                "Attributes",
                "Yields",
                "Raises",
                "Other Parameters",
            )
        if example or underlined or _UNDERLINE.match(line):
            found.append(line)
        elif named and line == line.lstrip():  # "gamma_ : float of shape (n_features_in_,)"
            name, colon, kind = line.partition(" : ")
            found.append(name + colon + escaped(kind))
        else:
            found.append(escaped(line))
    return found


def setup(app: Any) -> dict[str, bool]:
    def process(app: Any, what: str, name: str, thing: Any, options: Any, lines: list[str]) -> None:
        lines[:] = escape_lines(lines)

    app.connect("autodoc-process-docstring", process, priority=400)  # before numpydoc, at 500
    return {"parallel_read_safe": True, "parallel_write_safe": True}
