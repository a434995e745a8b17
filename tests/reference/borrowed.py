"""scikit-learn's own tests, taken from its installed wheel and run with our classes in place of its own.

Nothing of theirs is kept here: the module is executed afresh, under an `__import__` of its own that hands it ours where
it asks for theirs. What it cannot pass is listed with the reason and must fail (strict): a test that begins to pass
has to leave the list.
"""

from __future__ import annotations

import builtins
import importlib
import importlib.util
import inspect
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

Places = Mapping[str, Mapping[str, Any]]  # module -> name -> what stands there instead


@dataclass
class Borrowed:
    """One module of theirs.

    exceptions: reason -> tests that must fail; others: reason -> tests that never meet our classes, left out; worded:
    tests of an error or a warning that comes in words of our own. A test is named with or without its parameters; a
    star stands for any part of the name.
    """

    module: str
    places: Places
    exceptions: Mapping[str, Iterable[str]] = field(default_factory=dict)
    others: Mapping[str, Iterable[str]] = field(default_factory=dict)
    worded: frozenset[str] = frozenset()
    made: int = 0  # objects of our classes so far
    any_words: bool = False  # whether `match` is looked at

    def tests(self) -> dict[str, Callable[..., None]]:
        """The test functions by name, with their parameters; a name in a list that is no test is refused."""
        found = {n: f for n, f in self._run().items() if n.startswith("test_") and inspect.isfunction(f)}
        lists = [*self.exceptions.values(), *self.others.values(), self.worded]
        unknown = {key.partition("[")[0] for keys in lists for key in keys if "*" not in key} - set(found)
        assert not unknown, f"{self.module} has no {sorted(unknown)}"
        for test in found.values():  # an iterator of parameters is read only once
            marks = getattr(test, "pytestmark", [])
            test.pytestmark = [_listing(mark) if mark.name == "parametrize" else mark for mark in marks]
        left_out = {key for keys in self.others.values() for key in keys}
        return {n: f for n, f in found.items() if n not in left_out}

    def must_fail(self, item: pytest.Function) -> str | None:
        """The reason, if it is listed."""
        return _listed(item, self.exceptions)

    def is_other(self, item: pytest.Function) -> bool:
        """Whether the test never meets our classes."""
        return _listed(item, self.others) is not None

    def _run(self) -> dict[str, Any]:
        spec = importlib.util.find_spec(self.module)
        assert spec is not None and spec.origin is not None
        code = compile(Path(spec.origin).read_text(encoding="utf-8"), spec.origin, "exec")
        space = {"__name__": f"borrowed.{self.module}", "__builtins__": vars(builtins) | {"__import__": self._import}}
        exec(code, space)
        return space

    def _import(self, name: str, *place: Any) -> Any:
        """`import name` of their module: the places where ours stand, and pytest, are namespaces over the real ones."""
        real = builtins.__import__(name, *place)
        if name == "pytest":
            return _over(pytest, {"raises": self._loosely(pytest.raises), "warns": self._loosely(pytest.warns)})
        wanted = place[2] if len(place) > 2 else None
        if not wanted:
            return real
        inside = {n: self._stand(f"{name}.{n}") for n in wanted if f"{name}.{n}" in self.places}
        return _over(real, {**self.places.get(name, {}), **inside}) if inside or name in self.places else real

    def _stand(self, name: str) -> ModuleType:
        return _over(importlib.import_module(name), self.places[name])

    def _loosely(self, check: Callable[..., Any]) -> Callable[..., Any]:
        def checked(kind: Any, *args: Any, match: Any = None, **options: Any) -> Any:
            return check(kind, *args, match=None if self.any_words else match, **options)

        return checked


def _listing(mark: pytest.Mark) -> pytest.Mark:
    names, values, *more = mark.args
    return pytest.mark.parametrize(names, list(values), *more, **mark.kwargs).mark


def _listed(item: pytest.Function, lists: Mapping[str, Iterable[str]]) -> str | None:
    def meant(key: str) -> bool:
        return key in (item.name, item.originalname) or ("*" in key and fnmatchcase(item.name, key.replace("[", "[[]")))

    return next((why for why, keys in lists.items() if any(map(meant, keys))), None)


def _over(module: ModuleType, more: Mapping[str, Any]) -> ModuleType:
    """A namespace with everything of a module, and more."""
    found = ModuleType(module.__name__)
    found.__dict__.update(vars(module) | dict(more))
    return found


def spelled(ours: str, values: Mapping[Any, Any]) -> Any:
    """A parameter of theirs that is one of ours under another name; their values -> ours."""
    back = {v: k for k, v in values.items()}
    return property(lambda self: back[getattr(self, ours)], lambda self, value: setattr(self, ours, values[value]))


def fixed(*allowed: Any) -> Any:
    """A parameter of theirs of which ours knows these values alone, all the same to it."""

    def check(self: Any, value: Any) -> None:
        if value not in allowed:
            raise NotImplementedError(f"{value!r} is none of {allowed}")
        self.__dict__["_" + str(id(allowed))] = value

    return property(lambda self: self.__dict__["_" + str(id(allowed))], check)


def stand_in(book: Callable[[], Borrowed], ours: type[Any], **unused: Any) -> type[Any]:
    """Our class, counting its objects, that takes parameters of theirs which change nothing in ours."""

    def __new__(cls: type[Any], *args: Any, **params: Any) -> Any:
        book().made += 1
        return super(found, cls).__new__(cls)

    def __init__(self: Any, *args: Any, **params: Any) -> None:
        theirs = {name: params.pop(name, default) for name, default in unused.items()}
        ours.__init__(self, *args, **params)
        for name, value in theirs.items():
            setattr(self, name, value)

    mine = list(inspect.signature(ours.__init__).parameters.values())
    theirs = [inspect.Parameter(n, inspect.Parameter.KEYWORD_ONLY, default=v) for n, v in unused.items()]
    __init__.__signature__ = inspect.Signature([*mine, *theirs])  # type: ignore[attr-defined]
    found = type(ours.__name__, (ours,), {"__new__": __new__, "__init__": __init__, "__module__": ours.__module__})
    return found
