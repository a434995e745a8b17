"""The reference of the terminal: every verb with its arguments, options and examples, as typer has them."""

from __future__ import annotations

import re
from typing import Any

import typer

from mercer.cli.app import app


def pages() -> dict[str, str]:
    group = typer.main.get_command(app)
    lines = ["# Terminal", "", "`mercer VERB --help` says the same in the terminal.", ""]
    lines += ["| verb | what it does |", "|---|---|"]
    verbs = group.commands  # type: ignore[attr-defined]
    lines += [f"| [`mercer {name}`](#mercer-{name}) | {_first(command.help)} |" for name, command in verbs.items()]
    for name, command in verbs.items():
        lines += ["", *_verb(name, command)]
    return {"cli.md": "\n".join([*lines, ""])}


def _first(text: str | None) -> str:
    return " ".join((text or "").split("\n\n")[0].split())


def _verb(name: str, command: Any) -> list[str]:
    arguments = [p for p in command.params if p.param_type_name == "argument"]
    options = [p for p in command.params if p.param_type_name == "option" and not p.hidden]
    usage = " ".join(p.metavar if p.required else f"[{p.metavar}]" for p in arguments)
    lines = [
        f"## mercer {name}",
        "",
        *_prose(command.help or ""),
        "",
        "```sh",
        f"mercer {name} {usage} [OPTIONS]",
        "```",
        "",
    ]
    lines += ["| argument | what |", "|---|---|"] if arguments else []
    lines += [f"| `{p.metavar}` | {_cell(p.help)} |" for p in arguments]
    lines += ["", "| option | what |", "|---|---|"]
    return lines + [f"| {_flags(p)} | {_cell(p.help)}{_default(p)} |" for p in options]


def _prose(text: str) -> list[str]:
    """Paragraphs as they are; those that click is told not to fold, as code."""
    lines: list[str] = []
    for paragraph in text.split("\n\n"):
        if "\b" in paragraph:
            title, *rest = [line for line in paragraph.replace("\b", "").splitlines() if line.strip()]
            lines += [title.strip(), "", "```sh", *(line.strip() for line in rest), "```", ""]
        else:
            lines += [_cell(" ".join(paragraph.split())), ""]
    return lines


def _flags(option: Any) -> str:
    names = [*option.opts, *option.secondary_opts]
    metavar = f" {option.metavar}" if option.metavar and not option.is_flag else ""
    return ", ".join(f"`{name}{metavar}`" for name in names)


def _default(option: Any) -> str:
    shown = option.default is not None and option.default != () and not option.is_flag and option.show_default
    return f" Default: `{option.default}`." if shown else ""


def _cell(text: str | None) -> str:
    """Rich's marks taken out, what Markdown would read as its own escaped."""
    plain = re.sub(r"\[/?(?:bold|italic|dim|cyan)\]", "", " ".join((text or "").split()))
    return re.sub(r"([|*<_\[\]$])", r"\\\1", plain)
