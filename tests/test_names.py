"""Public names that are not where they are looked for."""

from __future__ import annotations

import subprocess
import sys

import pytest

import mercer


def test_parts_are_looked_for_on_their_shelves() -> None:
    with pytest.raises(AttributeError, match=r"no attribute 'RBF'\. Did you mean mercer\.kernels\.RBF\?"):
        mercer.RBF  # type: ignore[attr-defined]
    with pytest.raises(AttributeError, match=r"Did you mean mercer\.errors\.BadColumn\?"):
        mercer.BadColumn  # type: ignore[attr-defined]
    with pytest.raises(AttributeError, match=r"Did you mean 'KNeighborsClassifier'"):
        mercer.KNeighbourClassifier  # type: ignore[attr-defined]
    assert not hasattr(mercer, "__wrapped__")


def test_names_are_imported_when_they_are_used() -> None:
    code = "import sys, mercer; assert 'sklearn' not in sys.modules; mercer.SVC; assert 'sklearn' in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)
