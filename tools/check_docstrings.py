"""numpydoc's validation of every public name, on the docstrings as a user reads them (shared entries filled in).

    python tools/check_docstrings.py            every public name
    python tools/check_docstrings.py svm        those whose module or name contains "svm"

Prints a line a fault and exits with 1 when there is any.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Iterator
from enum import Enum
from types import ModuleType
from typing import Any

from numpydoc.validate import get_doc_object, validate

import mercer
from mercer import distances, encode, gallery, kernels, likelihoods, plot, table

# What is asked of each. Left out: layout of the quotes (GL01-GL03; ruff format has it), moods and capitals of sentences
# (a formula comes first), "See Also" and extended summaries.
CODES = {
    "GL05", "GL06", "GL07", "GL08", "GL09", "SS01", "PR01", "PR02", "PR03", "PR04", "PR05", "PR06", "PR07", "PR10",
    "RT01", "RT03", "YD01",
}  # fmt: skip
EXAMPLE = "EX01"  # of classes and functions, not of each method


def public_objects() -> Iterator[tuple[str, Any]]:
    """(name to show, object) of every public class and function, and of the public methods our classes define."""
    for module in (mercer, table, kernels, distances, encode, likelihoods, plot, gallery):
        for name in module.__all__:
            thing = getattr(module, name)
            if isinstance(thing, ModuleType) or not (inspect.isclass(thing) or inspect.isfunction(thing)):
                continue
            yield f"{module.__name__}.{name}", thing
            if inspect.isclass(thing):
                yield from _methods(f"{module.__name__}.{name}", thing)


def _methods(owner: str, thing: type) -> Iterator[tuple[str, Any]]:
    for name in sorted(dir(thing)):
        found = inspect.getattr_static(thing, name)
        method = getattr(thing, name, None)
        home = getattr(method, "__module__", "") or ""
        if name.startswith("_") or not callable(method) or not home.startswith("mercer"):
            continue
        if method.__doc__ is None and inspect.getdoc(method):
            continue  # inherited, and checked where it is written
        if isinstance(found, property) or inspect.isclass(method) or name in ("to_state", "from_state"):
            continue
        yield f"{owner}.{name}", method


def faults(name: str, thing: Any) -> list[str]:
    """ "CODE what" of every fault that is asked for."""

    found = validate(get_doc_object(thing))["errors"]
    asked = CODES | ({EXAMPLE} if inspect.isclass(thing) or name.count(".") == 1 else set())
    if inspect.isclass(thing) and issubclass(thing, Enum):
        asked = asked - {"PR01"}  # the parameters are those of Python's Enum
    return [f"{code} {what}" for code, what in found if code in asked]


def main(words: list[str]) -> int:
    seen: dict[int, str] = {}
    bad = 0
    for name, thing in public_objects():
        home = f"{getattr(thing, '__module__', '')}.{getattr(thing, '__qualname__', '')}"
        if id(thing) in seen or (words and not any(w in f"{name} {home}" for w in words)):
            continue
        seen[id(thing)] = name
        for fault in faults(name, thing):
            bad += 1
            print(f"{home}: {fault}")
    print(f"{len(seen)} public names, {bad} faults")
    return int(bad > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
