"""The gallery: a page for each worked example of `mercer.gallery`, run when the site is built.

Examples that need tables which are not embedded are shown without figures and pictures, with the command that runs
them. A page is made again when any module of mercer has changed; until then its file is kept.
"""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path

import mercer
from mercer.gallery.example import Example, examples
from mercer.gallery.page import paragraphs
from mercer.gallery.reproduction import Reproduction, reproduce
from mercer.gallery.sources import SOURCES

FOLDER = "gallery"
OPENING = """# Gallery

Worked examples of five texts on supervised learning: what the text says, what mercer gives, whether they agree, the
picture and the script. `mercer reproduce` lists them, and `mercer reproduce lim/margins` runs one:

```sh
mercer reproduce lim/margins
```
"""


def pages(kept: Path) -> dict[str, str | bytes]:
    """The overview, and for each example its page and pictures; `kept` is the folder with those of the last build."""
    found: dict[str, str | bytes] = {}
    for example in examples():
        made = f"% made from {source_hash()}"
        page = kept / f"{_path(example)}.md"
        if page.exists() and page.read_text(encoding="utf-8").startswith(made):
            pictures = sorted(page.parent.glob(f"{page.stem}-*.png"))
            found[f"{_path(example)}.md"] = page.read_text(encoding="utf-8")
            found |= {picture.relative_to(kept).as_posix(): picture.read_bytes() for picture in pictures}
        else:
            found |= _made(example, made)
    return {"gallery.md": _overview(), **found}


@cache
def source_hash() -> str:
    """Of every module of mercer."""
    digest = hashlib.sha256()
    for path in sorted(Path(mercer.__file__).parent.rglob("*.py")):
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def _path(example: Example) -> str:
    return f"{FOLDER}/{example.name.replace('/', '-')}"


def _overview() -> str:
    lines = [OPENING]
    for folder, title in SOURCES.items():
        own = [example for example in examples() if example.name.startswith(f"{folder}/")]
        if own:
            lines += [f"## {title.partition(': ')[2]}", ""]
            lines += [f"- [{_plain(example.title)}]({_path(example)}.md), {_plain(example.passage)}" for example in own]
            lines += [""]
    tree = ["```{toctree}", ":hidden:", "", *(_path(example) for example in examples()), "```", ""]
    return "\n".join([*lines, *tree])


def _made(example: Example, made: str) -> dict[str, str | bytes]:
    lines = [made, "", f"# {_plain(example.title)}", "", f"{_plain(example.source)}. Run it with", ""]
    lines += ["```sh", f"mercer reproduce {example.name}{' --data FOLDER' if example.needs else ''}", "```", ""]
    for formula, part in paragraphs(example.text):
        lines += ["```text", part, "```", ""] if formula else [_plain(part), ""]
    pictures: dict[str, str | bytes] = {}
    if example.needs:
        tables = " and ".join(f"{table.title} ({table.file}: {table.shape})" for table in example.needs)
        lines += [f"It needs {_plain(tables)}, which mercer does not bring along.", ""]
    else:
        result = reproduce(example.name)
        pictures = {
            f"{FOLDER}/{name}": picture.png for name, picture in zip(result.file_names(), result.pictures, strict=True)
        }
        lines += [*_figures(result), *_tables(result), *_pictures(result)]
    lines += ["## The script", "", "```python", example.code, "```", ""]
    return {f"{_path(example)}.md": "\n".join(lines), **pictures}


def _figures(result: Reproduction) -> list[str]:
    lines = ["| figure | the text | mercer | agrees |", "|---|---|---|---|"] if result.comparisons else []
    for c in result.comparisons:
        verdict = "yes" if c.agrees else f"{c.verdict}: {c.reason}" if c.reason else "no"
        lines.append(f"| {' | '.join(map(_plain, (c.what, c.source_text, c.ours_text, verdict)))} |")
    return [*lines, ""]


def _tables(result: Reproduction) -> list[str]:
    lines = []
    for table in result.tables:
        lines += [f"**{_plain(table.title)}**", "", f"| | {' | '.join(map(_plain, table.columns))} |"]
        lines += ["|---" * (len(table.columns) + 1) + "|"]
        lines += [f"| {' | '.join(map(_plain, cells))} |" for cells in table.cells()]
        lines += ["", _plain(table.note), ""]
    return lines


def _pictures(result: Reproduction) -> list[str]:
    lines = []
    for name, picture in zip(result.file_names(), result.pictures, strict=True):
        lines += [f"![{_plain(picture.caption)}]({name})", "", _plain(picture.caption), ""]
    return lines


def _plain(text: str) -> str:
    """What Markdown would read as its own, escaped."""
    return "".join(f"\\{sign}" if sign in "\\`*_[]<>|$#" else sign for sign in str(text))
