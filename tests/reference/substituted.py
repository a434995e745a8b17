"""scikit-learn's own test modules, run from its installed wheel with our classes in place of its own.

Nothing of theirs is kept here and nothing is adapted: the module is executed afresh, under an `__import__` that hands
it ours where it asks for theirs (`mercer.patch.REPLACED` says which), as `patch_sklearn` does for a user. What fails
is listed with the reason and must fail (strict): a test that begins to pass has to leave the list.
"""

from __future__ import annotations

import builtins
import importlib.util
import inspect
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from mercer.patch import replacements


@dataclass
class Substituted:
    """One test module of theirs.

    exceptions: reason -> tests that must fail; others: reason -> tests that build none of our objects, or ask them for
    private things alone, left out. A test is named with or without its parameters; a star stands for any part of it.
    """

    module: str
    exceptions: Mapping[str, Iterable[str]] = field(default_factory=dict)
    others: Mapping[str, Iterable[str]] = field(default_factory=dict)

    def tests(self) -> dict[str, Callable[..., None]]:
        """The test functions by name, with their parameters; a name in a list that is no test is refused."""
        space = self._run()
        found = {n: f for n, f in space.items() if n.startswith("test_") and inspect.isfunction(f)}
        unknown = {key.partition("[")[0] for key in self._listed_names() if "*" not in key} - set(found)
        assert not unknown, f"{self.module} has no {sorted(unknown)}"
        for test in found.values():  # an iterator of parameters is read only once
            marks = [*_marks(test), *_marks(space.get("pytestmark"))]  # its own, and those of all its module
            test.pytestmark = [_repeatable(mark) if mark.name == "parametrize" else mark for mark in marks]
        return found

    def must_fail(self, item: pytest.Function) -> str | None:
        """The reason, if it is listed."""
        return _reason(item, self.exceptions)

    def is_other(self, item: pytest.Function) -> bool:
        """Whether the test is listed as one that builds none of our objects."""
        return _reason(item, self.others) is not None

    def _listed_names(self) -> list[str]:
        return [key for lists in (self.exceptions, self.others) for keys in lists.values() for key in keys]

    def _run(self) -> dict[str, Any]:
        spec = importlib.util.find_spec(self.module)
        assert spec is not None and spec.origin is not None
        code = compile(Path(spec.origin).read_text(encoding="utf-8"), spec.origin, "exec")
        space = {"__name__": self.module, "__builtins__": vars(builtins) | {"__import__": _import}}
        exec(code, space)
        return space


def _import(name: str, *place: Any) -> Any:
    """`from name import ...` with our classes where theirs stand, also in a module taken from a package."""
    real = builtins.__import__(name, *place)
    wanted = place[2] if len(place) > 2 else None
    return _with_ours(real, inside=wanted) if wanted and name.startswith("sklearn") else real


def _with_ours(module: ModuleType, inside: Iterable[str] = ()) -> ModuleType:
    """A namespace with everything of a module, their classes replaced; so the modules `inside` it."""
    ours = replacements()
    theirs = vars(module).items()
    found = ModuleType(module.__name__)
    found.__dict__.update(vars(module))
    found.__dict__.update({name: ours[value] for name, value in theirs if isinstance(value, type) and value in ours})
    found.__dict__.update(
        {n: _with_ours(value) for n, value in theirs if n in inside and isinstance(value, ModuleType)}
    )
    return found


def _marks(marked: Any) -> list[pytest.Mark]:
    """The marks of a test function, or of a module that says one or a list."""
    found = getattr(marked, "pytestmark", marked) if inspect.isfunction(marked) else marked
    found = [] if found is None or inspect.isfunction(found) else found
    return [getattr(mark, "mark", mark) for mark in (found if isinstance(found, list) else [found])]


def _repeatable(mark: pytest.Mark) -> pytest.Mark:
    names, values, *more = mark.args
    return pytest.mark.parametrize(names, list(values), *more, **mark.kwargs).mark


def _reason(item: pytest.Function, lists: Mapping[str, Iterable[str]]) -> str | None:
    def meant(key: str) -> bool:
        return key in (item.name, item.originalname) or ("*" in key and fnmatchcase(item.name, key.replace("[", "[[]")))

    return next((why for why, keys in lists.items() if any(map(meant, keys))), None)
