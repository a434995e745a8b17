"""docs/kernels.md and its pictures are what the kernels say, and miss none of them."""

import importlib.util
import re
import sys
from pathlib import Path

import numpy as np
import pytest

from mercer.kernels import KERNELS

ROOT = Path(__file__).parent.parent.parent


@pytest.fixture(scope="module")
def tool():
    spec = importlib.util.spec_from_file_location("kernel_page", ROOT / "tools/kernel_page.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules["kernel_page"] = module  # dataclasses look their module up
    spec.loader.exec_module(module)
    return module


def test_no_kernel_is_missed(tool):
    shown = [type(example.kernel).__name__ for examples in tool.groups().values() for example in examples]
    package = {name for name, kind in KERNELS.items() if kind.__module__.startswith("mercer.")}
    assert sorted(shown) == sorted(package)


def test_the_page_and_its_pictures_are_up_to_date(tool):
    files = tool.files()
    assert {path.name for path in (ROOT / "docs/kernels").iterdir()} == {p.name for p in files if p.suffix == ".svg"}
    for path, text in files.items():
        stored = path.read_text(encoding="utf-8")
        advice = f"{path.name} is not up to date: run python tools/kernel_page.py"
        if path.suffix == ".md":
            assert text == stored, advice
            continue
        assert re.sub(r"\d+", "#", text) == re.sub(r"\d+", "#", stored), advice
        found, kept = (np.array(re.findall(r"\d+", part), dtype=float) for part in (text, stored))
        # Rounding of another processor may move a point by a pixel or a grey by a step.
        np.testing.assert_allclose(found, kept, atol=13, err_msg=advice)


def test_a_formula_comes_first(tool):
    for kind in KERNELS.values():
        assert tool.formula(kind).startswith("k(a, b)")
