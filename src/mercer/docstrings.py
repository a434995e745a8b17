"""Parameter descriptions that several classes share, written once and put into each docstring.

They stand in `mercer/descriptions/`; those of one family in it, as `LEAST_SQUARES_DOCS`.
In the docstring of what is decorated with `@shares_docs()`, a line `{n_jobs}` by itself becomes the entry of that name;
`@shares_docs(C="...")` adds entries of its own, or others in their place.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from inspect import cleandoc
from typing import Any, TypeVar

from mercer.descriptions.kernels import KERNELS
from mercer.descriptions.machines import MACHINES
from mercer.descriptions.tables import TABLES

Documented = TypeVar("Documented", bound=Callable[..., Any])

SHARED: dict[str, str] = TABLES | KERNELS | MACHINES
_ENTRY = re.compile(r"^( *)\{(\w+)\}$", re.MULTILINE)


def shares_docs(**own: str) -> Callable[[Documented], Documented]:
    """A decorator that fills `{name}` lines of a docstring with shared entries, or with those given here."""
    entries = SHARED | own

    def fill(match: re.Match[str]) -> str:
        indent, name = match.groups()
        return "\n".join(indent + line if line else line for line in cleandoc(entries[name]).split("\n"))

    def decorate(documented: Documented) -> Documented:
        documented.__doc__ = _ENTRY.sub(fill, documented.__doc__ or "")
        return documented

    return decorate


def inherit_docs(cls: type) -> None:
    """Give each public method of a class that has no docstring the one of the method it overrides."""
    for name, method in vars(cls).items():
        if name.startswith("_") or not callable(method) or method.__doc__:
            continue
        overridden = (getattr(base, name, None) for base in cls.__mro__[1:])
        method.__doc__ = next((found.__doc__ for found in overridden if found is not None), None)
