"""The examples that there are: each a module in the folder of its text."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from importlib import import_module
from math import inf
from pathlib import Path
from typing import Any

from mercer.errors import MercerError, did_you_mean
from mercer.gallery import tables
from mercer.gallery.comparison import Comparison
from mercer.gallery.figure_table import FigureTable
from mercer.gallery.picture import Picture
from mercer.gallery.sources import SOURCES
from mercer.gallery.tables import DataTable
from mercer.table import Table

_FUTURE = "from __future__ import annotations\n\n"


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
    code: str

    @property
    def source(self) -> str:
        """Short name of the text and the passage: "Lim, section 4.1"."""
        return f"{SOURCES[self.name.partition('/')[0]].partition(':')[0]}, {self.passage}"

    def run(self, *tables: Table) -> Iterator[Comparison | FigureTable | Picture]:
        """Run the script.

        Parameters
        ----------
        *tables : Table
            Those that it needs.

        Returns
        -------
        found : iterator of Comparison, FigureTable and Picture
            What it yields.
        """
        script: Any = import_module(f"mercer.gallery.{self.name.replace('/', '.')}")
        return script.run(*tables)

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
    found = []
    for folder in SOURCES:
        scripts = [p for p in sorted((Path(__file__).parent / folder).glob("*.py")) if p.name != "__init__.py"]
        read = [_read(f"{folder}/{path.stem}", path.read_text(encoding="utf-8")) for path in scripts]
        found += [example for _, example in sorted((pair for pair in read if pair), key=lambda pair: pair[0])]
    return found


def _read(name: str, script: str) -> tuple[float, Example] | None:
    """Place and example of a script, which is not run for that: a list is there at once. None if it is no example."""
    docstring, *rest = ast.parse(script).body
    title, _, text = inspect.cleandoc(ast.literal_eval(docstring.value)).partition("\n")  # type: ignore[attr-defined]
    assigned = [node for node in rest if isinstance(node, ast.Assign)]
    given = {ast.unparse(node.targets[0]): node.value for node in assigned}
    if "PASSAGE" not in given:
        return None
    needs = given["NEEDS"].elts if "NEEDS" in given else []  # type: ignore[attr-defined]
    example = Example(
        name=name,
        title=title.removesuffix("."),
        text=text.strip("\n"),
        passage=ast.literal_eval(given["PASSAGE"]),
        needs=tuple(getattr(tables, need.attr) for need in needs),
        code="\n".join(script.splitlines()[docstring.end_lineno :]).strip("\n").removeprefix(_FUTURE),
    )
    return ast.literal_eval(given["PLACE"]) if "PLACE" in given else inf, example


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
