"""The oldest dependencies that pyproject.toml allows, as pip's constraints: `name==version`, one a line."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

PROJECT = Path(__file__).parent.parent / "pyproject.toml"


def oldest() -> list[str]:
    """Lower bounds of the dependencies and of every extra, as exact versions."""
    project = tomllib.loads(PROJECT.read_text())["project"]
    extras = [line for name, lines in project["optional-dependencies"].items() if name != "lint" for line in lines]
    bounds = [re.fullmatch(r"([\w.-]+)(?:\[[\w,]+\])?>=([\w.]+)", line) for line in [*project["dependencies"], *extras]]
    return sorted({f"{bound[1]}=={bound[2]}" for bound in bounds if bound})


if __name__ == "__main__":
    print(*oldest(), sep="\n")
