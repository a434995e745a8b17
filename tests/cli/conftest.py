"""Commands run in this process, each in a folder of its own."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from mercer.cli.app import app


@pytest.fixture
def mercer_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Any]:
    """Run `mercer` with these words in an empty folder, wide enough that no line is broken."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "300")
    monkeypatch.setenv("NO_COLOR", "1")
    return lambda *words: CliRunner().invoke(app, [str(w) for w in words])


@pytest.fixture
def flowers(tmp_path: Path) -> Path:
    """Sixty rows with a number, a category, an identifier and two classes that the number nearly tells apart."""
    rows = [
        f"k{i:03},{i % 10 + 3 * (i % 2)},{'red' if i % 3 else 'blue'},{'yes' if i % 2 else 'no'}" for i in range(60)
    ]
    path = tmp_path / "flowers.csv"
    path.write_text("\n".join(["plant_id,size,colour,wild", *rows]) + "\n")
    return path


@pytest.fixture(scope="session")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with what `mercer train` wrote for the embedded table."""
    out = tmp_path_factory.mktemp("trained") / "out"
    result = CliRunner().invoke(app, ["train", "--quick", "--out", str(out)])
    assert result.exit_code == 0, result.output
    return out
