"""Options of a verb from a TOML file: the words of the command line go before them."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Annotated, Any, TypeAlias

import typer

from mercer.cli.console import JSON_ASKED, reporting
from mercer.errors import BadFile, MercerError, did_you_mean

_HELP = 'A TOML file with options of this verb, e.g. target = "churn", learner = ["tree"]; words given here go first.'
_NAMES = {"learners": "learner", "kinds": "kind", "json": "as_json"}  # also as mercer.train calls them
_NOT_FROM_FILES = ("config", "debug", "help")


def _read(context: typer.Context, path: Path | None) -> Path | None:
    """Make the values of the file the defaults of the options."""
    if path is not None:
        with reporting(str(context.info_name), debug=False, as_json=bool(context.meta.get(JSON_ASKED))):
            given = _content(path)
            known = {p.name: p for p in context.command.params if p.name and p.name not in _NOT_FROM_FILES}
            context.default_map = dict(_option(path, key, value, known) for key, value in given.items())
    return path


def _content(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        near = did_you_mean(path.name, [p.name for p in path.parent.glob("*.toml")]) if path.parent.is_dir() else ""
        raise BadFile(f"There is no file {path}. {near if 'Did' in near else ''}".strip()) from None
    except OSError as error:
        raise BadFile(f"{path} cannot be read: {error.strerror}.") from None
    except ValueError as error:  # not TOML, or not UTF-8
        raise BadFile(f"{path} is not a TOML file: {error}") from None


def _option(path: Path, key: str, value: Any, known: dict[str, Any]) -> tuple[str, Any]:
    """The option of a key, and its value as the command line would have it."""
    name = key.replace("-", "_")
    name = _NAMES.get(name, name)
    if name not in known:
        shown = [_shown(n) for n in known]
        raise MercerError(f"{path}: there is no option {key!r}. {did_you_mean(key.replace('_', '-'), shown)}")
    if isinstance(value, dict) and name == "missing":
        from mercer.table.kinds.missing import as_markers  # late: it brings polars

        value = list(as_markers(value))
    elif isinstance(value, dict):
        pairs = [f"{k}={'<'.join(map(str, v)) if isinstance(v, list) else v}" for k, v in value.items()]
        value = ",".join(pairs) if name == "cost" else pairs
    if getattr(known[name], "multiple", False):
        return name, [str(item) for item in value] if isinstance(value, list) else [str(value)]
    if isinstance(value, list):
        raise MercerError(f"{path}: {key} takes one value, and has a list of {len(value)}.")
    is_flag = getattr(known[name], "is_flag", False)
    if is_flag != isinstance(value, bool):
        raise MercerError(f"{path}: {key} = {value!r}: write {'true or false' if is_flag else 'a value'}.")
    return name, value


def _shown(name: str) -> str:
    return next((k for k, v in _NAMES.items() if v == name and name == "as_json"), name).replace("_", "-")


Config: TypeAlias = Annotated[
    Path | None, typer.Option("--config", metavar="FILE", help=_HELP, is_eager=True, callback=_read, show_default=False)
]
