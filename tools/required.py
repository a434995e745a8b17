"""Print what pyproject.toml requires for the extras given, for "core" or for "build-system", one a line."""

from __future__ import annotations

import sys
import tomllib
from pathlib import Path

PROJECT = Path(__file__).parent.parent / "pyproject.toml"


def required(name: str) -> list[str]:
    """The requirements of an extra, of the package without extras, or of what builds it."""
    settings = tomllib.loads(PROJECT.read_text())
    project = settings["project"]
    always = {"core": project["dependencies"], "build-system": settings["build-system"]["requires"]}
    found: list[str] = (always | project["optional-dependencies"])[name]
    return found


if __name__ == "__main__":
    print(*(line for name in sys.argv[1:] for line in required(name)), sep="\n")
