"""Settings of every test and docstring example: pictures need no display, and none stays open."""

import os
import sys
from collections.abc import Iterator

import pytest

os.environ.setdefault("MPLBACKEND", "Agg")


@pytest.fixture(autouse=True)
def _close_pictures() -> Iterator[None]:
    yield
    if pyplot := sys.modules.get("matplotlib.pyplot"):
        pyplot.close("all")
