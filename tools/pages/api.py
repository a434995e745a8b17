"""The reference of Python: a page for each public name, and a page for each group of them with a line a name."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import Enum
from types import ModuleType
from typing import Any

import mercer
from mercer import errors, table

_FAMILIES = "mercer.estimators."
# Title of a group of names in `mercer` and the modules they come from, in the order of the page.
GROUPS = {
    "Tables and model files": ("mercer.table", "mercer.data", "mercer.store"),
    "The whole job": ("mercer.workbench", "mercer.evaluation", f"{_FAMILIES}common.explanations"),
    "Naive Bayes": (f"{_FAMILIES}bayes",),
    "Support vector machines": tuple(_FAMILIES + name for name in ("svm", "twin", "core_vector", "laplacian")),
    "Further kernel machines": tuple(_FAMILIES + name for name in ("least_squares", "kernel_logistic", "relevance")),
    "Linear models and perceptrons": (f"{_FAMILIES}linear", f"{_FAMILIES}perceptron"),
    "Neighbours": (f"{_FAMILIES}neighbours",),
    "Trees, forests, boosting": tuple(_FAMILIES + name for name in ("tree", "forest", "boosting")),
    "Baselines": (f"{_FAMILIES}common.baseline",),
    "Many models": ("mercer.combine",),
    "Columns made and chosen": (f"{_FAMILIES}projection", "mercer.encode"),
    "Choosing parameters": ("mercer.select",),
    "In place of scikit-learn": ("mercer.patch",),
    "Further names": ("mercer",),
}
# Titles of the modules whose names have pages: those in `mercer`, and two more.
TITLES = {
    "kernels": "Kernels",
    "distances": "Distances",
    "likelihoods": "Likelihoods",
    "encode": "Encoders",
    "plot": "Pictures",
    "scale": "Tables larger than memory",
    "gallery": "Worked examples",
    "table": "Tables in detail",
    "errors": "Errors and warnings",
}
# Public names that are neither classes nor functions, which have no docstring of their own.
DATA = {
    "mercer.kernels.KERNEL": "What estimators declare for a parameter that takes a kernel.",
    "mercer.kernels.KERNELS": "Every registered kernel by its name: those that a model file may hold.",
    "mercer.kernels.KernelLike": "What stands for a kernel: a name, a kernel, or a function of two arrays.",
    "mercer.kernels.KernelName": "The names that stand for a kernel.",
    "mercer.distances.ALGORITHMS": "The ways to find neighbours, as `KNeighborsClassifier(algorithm=...)` takes them.",
    "mercer.distances.METRIC": "What estimators declare for a parameter that takes a distance.",
    "mercer.likelihoods.LIKELIHOODS": "Every likelihood by its name in `NaiveBayes(likelihoods=...)`.",
    "mercer.table.CATEGORICAL": "The kinds of columns that have levels: binary, category and ordinal.",
    "mercer.table.KindSpec": "What `kinds=` takes for a column: the name of a kind, or ordered levels.",
    "mercer.table.Selector": "What `on=` takes: names, a selector such as `numeric()`, or None for all columns.",
}


@dataclass
class Group:
    """A page that lists names: its title, what it says first, and the names with their objects."""

    title: str
    opening: str = ""
    names: dict[str, Any] = field(default_factory=dict)

    @property
    def page(self) -> str:
        return re.sub(r"\W+", "-", self.title.lower())


def modules() -> dict[ModuleType, str]:
    """The modules whose names have pages, with their titles."""
    own = [thing for thing in (getattr(mercer, name) for name in mercer.__all__) if isinstance(thing, ModuleType)]
    names = {module.__name__.removeprefix("mercer."): module for module in (*own, table, errors)}
    order = sorted(names, key=lambda name: [*TITLES, name].index(name))
    return {names[name]: TITLES.get(name, name.capitalize()) for name in order}


def groups() -> list[Group]:
    """Every public name once, at the first place that has it."""
    found = {title: Group(title) for title in GROUPS}
    seen: dict[int, str] = {}
    for name in sorted(mercer.__all__, key=str.lower):
        thing = getattr(mercer, name)
        if not isinstance(thing, ModuleType):
            seen[id(thing)] = name
            found[_title(thing.__module__)].names[f"mercer.{name}"] = thing
    listed = [group for group in found.values() if group.names]
    for module, title in modules().items():
        opening = (inspect.getdoc(module) or "").split("\n\n")[0]
        group = Group(title, f"`{module.__name__}`: {opening}")
        for name in sorted(_names(module), key=str.lower):
            thing = getattr(module, name)
            if id(thing) not in seen:
                group.names[f"{module.__name__}.{name}"] = thing
        listed.append(group)
    return listed


def _names(module: ModuleType) -> list[str]:
    """What the module exports; of one without a list, what is written in it."""
    if hasattr(module, "__all__"):
        return list(module.__all__)
    own = (name for name, thing in vars(module).items() if getattr(thing, "__module__", "") == module.__name__)
    return [name for name in own if not name.startswith("_")]


def _title(module: str) -> str:
    """The group whose module is the longest that contains `module`."""
    homes = [(home, title) for title, modules in GROUPS.items() for home in modules]
    return max((len(home), title) for home, title in homes if f"{module}.".startswith(f"{home}."))[1]


def pages() -> dict[str, str]:
    """The overview, a page a group, a page a name."""
    listed = groups()
    found = {"api.md": _overview(listed)}
    for group in listed:
        found[f"api/{group.page}.md"] = _group_page(group)
        found |= {f"api/{name}.rst": _name_page(name, thing) for name, thing in group.names.items()}
    return found


def _overview(listed: list[Group]) -> str:
    lines = [
        "# Python",
        "",
        "Every public name has a page: `import mercer` has the estimators and the main jobs, its modules the parts.",
        "",
    ]
    for group in listed:
        links = ", ".join(f"[{name.split('.')[-1]}](api/{name}.rst)" for name in group.names)
        lines += [f"## {group.title}", "", *([group.opening, ""] if group.opening else []), links, ""]
    return "\n".join([*lines, _toctree([f"api/{group.page}" for group in listed])])


def _group_page(group: Group) -> str:
    lines = [
        f"# {group.title}",
        "",
        *([group.opening, ""] if group.opening else []),
        "| name | what it is |",
        "|---|---|",
    ]
    lines += [
        f"| [{name.split('.')[-1]}]({name}.rst) | {summary(name, thing)} |" for name, thing in group.names.items()
    ]
    return "\n".join([*lines, "", _toctree(list(group.names))])


def _toctree(entries: list[str]) -> str:
    return "\n".join(["```{toctree}", ":hidden:", "", *entries, "```", ""])


def summary(name: str, thing: Any) -> str:
    """The first paragraph of the docstring that is no formula, as a cell of a table."""
    paragraphs = [" ".join(p.split()) for p in (inspect.getdoc(thing) or "").split("\n\n")]
    text = DATA[name] if name in DATA else paragraphs[0]
    if re.match(r"(min|max) ", text) and len(paragraphs) > 1:
        text = re.split(r"(?<=\.) (?=[A-Z])", paragraphs[1])[0]
    return re.sub(r"([|*_<\\$])", r"\\\1", text) if "`" not in text else text.replace("|", "\\|")


def _name_page(name: str, thing: Any) -> str:
    title = name.removeprefix("mercer.")
    return "\n".join([title, "=" * len(title), "", *_body(name, thing), ""])


def _body(name: str, thing: Any) -> list[str]:
    if name in DATA:
        return [f".. py:data:: {name}", "", f"   {DATA[name]}"]
    if not inspect.isclass(thing):
        return [f".. autofunction:: {name}"]
    if issubclass(thing, Enum):
        return [f".. autoclass:: {name}", "   :members:", "   :undoc-members:"]
    lines = [f".. autoclass:: {name}", ""]
    lines += [f"   .. auto{what}:: {name}.{member}" for member, what in _documented(thing)]
    if borrowed := [member for member, home in _homes(thing) if home.startswith("sklearn")]:
        lines += ["", f"   As in scikit-learn: {', '.join(f'``{member}``' for member in borrowed)}."]
    return lines


def _homes(thing: type) -> Iterator[tuple[str, str]]:
    """Every public member and the module that its code is in."""
    for name in sorted(dir(thing)):
        if not name.startswith("_"):
            found = inspect.getattr_static(thing, name)
            code = found.fget if isinstance(found, property) else getattr(found, "__func__", found)
            yield name, str(getattr(code, "__module__", "") or "")


def _documented(thing: type) -> Iterator[tuple[str, str]]:
    """Methods and properties of mercer that have a docstring, and how autodoc calls them."""
    for name, home in _homes(thing):
        found = inspect.getattr_static(thing, name)
        if (
            home.startswith("mercer")
            and name not in ("to_state", "from_state")
            and inspect.getdoc(getattr(thing, name, found))
        ):
            if isinstance(found, property):
                yield name, "property"
            elif callable(getattr(thing, name, None)):
                yield name, "method"
