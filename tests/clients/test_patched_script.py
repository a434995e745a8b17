"""`python -m mercer.patch` runs a program of scikit-learn's users as it stands, and the program finds what it found."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

SCRIPT = Path(__file__).with_name("wine.py")


def run(*before: str) -> dict[str, Any]:
    command = [sys.executable, *before, str(SCRIPT)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0 and not done.stderr, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def test_a_script_finds_the_same_patched_and_unpatched() -> None:
    theirs, ours = run(), run("-m", "mercer.patch")
    assert all(module.startswith("sklearn.") for module in theirs.pop("classes"))
    assert all(module.startswith("mercer.") for module in ours.pop("classes"))
    assert ours.pop("tree") == pytest.approx(theirs.pop("tree"), abs=0.05)  # equal splits are settled by chance
    for name, expected in theirs.items():
        if name in ("parameters", "importance", "rules", "boxes"):
            assert ours[name] == expected
        else:
            assert ours[name] == pytest.approx(expected, abs=1e-4), name
