"""The README is true: its Python runs, its commands exist."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text()


def test_python_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {}
    for code in re.findall(r"```python\n(.*?)```", README, re.DOTALL):
        exec(compile(code, "README.md", "exec"), names)
    printed = capsys.readouterr().out
    assert "read as date" in printed
    assert "(base)" in printed
    assert (tmp_path / "penguins.mercer").stat().st_size > 1000


def test_commands_are_targets_of_the_makefile() -> None:
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    named = set(re.findall(r"\bmake ([a-z-]+)", README + (ROOT / "CONTRIBUTING.md").read_text()))
    assert named
    assert named <= targets


def test_linked_files_exist() -> None:
    for link in re.findall(r"\]\(([^)]+)\)", README):
        assert (ROOT / link).exists(), link
