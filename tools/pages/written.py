"""Write docs/reference before Sphinx looks for pages; a page that has not changed keeps its time of change."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tools.pages import api, commands, model_file, sections

FOLDER = "reference"


def pages() -> dict[str, str]:
    """The text of every page by its path in docs/reference."""
    return {**api.pages(), **commands.pages(), **model_file.pages(), **sections.pages()}


def write(folder: Path) -> None:
    """Write every page that is new or changed, and remove those that are no more."""
    found = pages()
    for name, text in found.items():
        path = folder / name
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
    for path in folder.rglob("*.*"):
        if path.is_file() and path.relative_to(folder).as_posix() not in found:
            path.unlink()


def setup(app: Any) -> dict[str, bool]:
    app.connect("builder-inited", lambda app: write(Path(app.srcdir) / FOLDER))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
