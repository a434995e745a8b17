"""Write docs/reference before Sphinx looks for pages; a page that has not changed keeps its time of change."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tools.pages import api, commands, examples, model_file, sections

FOLDER = "reference"


def pages(folder: Path) -> dict[str, str | bytes]:
    """What every page and picture holds by its path in `folder`, docs/reference."""
    return {
        **api.pages(),
        **commands.pages(),
        **model_file.pages(),
        **sections.pages(),
        **examples.pages(folder),
    }


def write(folder: Path) -> None:
    """Write every file that is new or changed, and remove those that are no more."""
    found = pages(folder)
    for name, content in found.items():
        path, data = folder / name, content if isinstance(content, bytes) else content.encode()
        if not path.exists() or path.read_bytes() != data:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
    for path in folder.rglob("*.*"):
        if path.is_file() and path.relative_to(folder).as_posix() not in found:
            path.unlink()


def setup(app: Any) -> dict[str, bool]:
    app.connect("builder-inited", lambda app: write(Path(app.srcdir) / FOLDER))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
