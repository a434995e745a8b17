"""Print what pyproject.toml requires for the extras given, or for "build-system", one a line."""

from __future__ import annotations

import sys
import tomllib
from pathlib import Path

PROJECT = Path(__file__).parent.parent / "pyproject.toml"


def required(name: str) -> list[str]:
    """The requirements of an extra, or of what builds the package."""
    project = tomllib.loads(PROJECT.read_text())
    found: list[str] = (
        project[name]["requires"] if name == "build-system" else project["project"]["optional-dependencies"][name]
    )
    return found


if __name__ == "__main__":
    print(*(line for name in sys.argv[1:] for line in required(name)), sep="\n")
