"""The examples that there are: each a module in the folder of its text."""

from __future__ import annotations

import ast
import inspect
import pkgutil
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from importlib import import_module
from math import inf
from pathlib import Path
from typing import Any

from mercer.errors import MercerError, did_you_mean
from mercer.gallery.sources import SOURCES
from mercer.gallery.tables import DataTable


@dataclass(frozen=True)
class Example:
    """A worked example of a text.

    Parameters
    ----------
    name : str
        Folder of its text and module: "lim/bayes_rule".
    title : str
        In one line.
    text : str
        The formula and the idea.
    passage : str
        Where in the text it stands.
    needs : tuple of DataTable
        Tables that are not embedded.
    run : callable
        A generator of Comparison and Picture, given those tables.
    code : str
        The script, below its docstring.

    Examples
    --------
    >>> import mercer
    >>> [e.title for e in mercer.gallery.examples() if e.name == "nbk/meningitis"]
    ['Meningitis and a stiff neck']
    """

    name: str
    title: str
    text: str
    passage: str
    needs: tuple[DataTable, ...]
    run: Callable[..., Iterable[Any]]
    code: str

    @property
    def source(self) -> str:
        """Short name of the text and the passage: "Lim, section 4.1"."""
        return f"{SOURCES[self.name.partition('/')[0]].partition(':')[0]}, {self.passage}"

    def to_dict(self) -> dict[str, Any]:
        """What the list shows of it, as plain data.

        Returns
        -------
        data : dict
            Name, source, title and the files that it needs.
        """
        return {"name": self.name, "source": self.source, "title": self.title, "needs": [t.file for t in self.needs]}


def examples() -> list[Example]:
    """Every example, in the order of the texts.

    Returns
    -------
    examples : list of Example
        What `mercer reproduce` lists.

    Examples
    --------
    >>> import mercer
    >>> "lim/bayes_rule" in [example.name for example in mercer.gallery.examples()]
    True
    """
    here = Path(__file__).parent
    found = []
    for folder in SOURCES:
        names = [module.name for module in pkgutil.iter_modules([str(here / folder)])]
        modules = [import_module(f"mercer.gallery.{folder}.{name}") for name in names]
        modules.sort(key=lambda module: getattr(module, "PLACE", inf))
        found += [_example(folder, module) for module in modules]
    return found


def _example(folder: str, module: Any) -> Example:
    title, _, text = inspect.cleandoc(module.__doc__).partition("\n")
    return Example(
        name=f"{folder}/{module.__name__.rpartition('.')[2]}",
        title=title.removesuffix("."),
        text=text.strip("\n"),
        passage=module.PASSAGE,
        needs=getattr(module, "NEEDS", ()),
        run=module.run,
        code=_below_docstring(inspect.getsource(module)),
    )


def _below_docstring(code: str) -> str:
    end = ast.parse(code).body[0].end_lineno
    return "\n".join(code.splitlines()[end:]).strip("\n").removeprefix("from __future__ import annotations\n\n")


def find(names: Iterable[str]) -> list[Example]:
    """The examples of these names; the name of a folder stands for all in it.

    Raises
    ------
    MercerError
        If there is no such example.
    """
    known = {example.name: example for example in examples()}
    found: dict[str, Example] = {}
    for name in names:
        wanted = [name] if name in known else [n for n in known if n.startswith(f"{name}/")]
        if not wanted:
            raise MercerError(
                f"There is no example {name!r}. {_suggestion(name, list(known))} `mercer reproduce` lists them."
            )
        found |= {n: known[n] for n in wanted}
    return list(found.values())


def _suggestion(name: str, known: list[str]) -> str:
    """The nearest names, with or without their folder."""
    last = name.rpartition("/")[2]
    same = [n for n in known if n.rpartition("/")[2] == last]
    if same:
        return "Did you mean " + " or ".join(repr(n) for n in same) + "?"
    return did_you_mean(name, known)
