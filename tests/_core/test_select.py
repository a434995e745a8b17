"""Which compiled module is chosen, and that everything works without any."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from mercer._core import select
from mercer.errors import MercerError

SCRIPT = """
import mercer, mercer._core
model = mercer.NaiveBayes().fit({"a": [1.0, 2.0, 8.0, 9.0], "b": ["x", None, "y", "y"]}, [0, 0, 1, 1])
print(mercer._core.backend, model.predict({"a": [1.5, 8.5], "b": ["x", "y"]}).tolist())
"""


def run(**environment: str) -> subprocess.CompletedProcess[str]:
    clean = {k: v for k, v in os.environ.items() if not k.startswith("MERCER")}
    command = [sys.executable, "-c", SCRIPT]
    return subprocess.run(command, env=clean | environment, capture_output=True, text=True, check=False)


def test_without_compiled_code() -> None:
    assert run(MERCER_CORE="off").stdout.strip() == "numpy [0, 1]"


@pytest.mark.skipif(select.native is None, reason="nothing is compiled")
def test_the_best_module_or_the_one_asked_for() -> None:
    assert run().stdout.strip() == f"{select.backend} [0, 1]"
    assert "no such module" in run(MERCER_ISA="v9").stderr


@pytest.mark.skipif(select.native is None, reason="nothing is compiled")
def test_an_instruction_set_that_the_processor_lacks_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    has = dict.fromkeys((*select._LEVELS["v3"], *select._LEVELS["v2"]), True)
    monkeypatch.setattr(select, "_features", lambda: has)
    monkeypatch.setenv("MERCER_ISA", "v4")
    with pytest.raises(ImportError, match=r"lacks AVX512F, .* It has v3: set MERCER_ISA=v3") as caught:
        select._load()
    assert isinstance(caught.value, MercerError)
