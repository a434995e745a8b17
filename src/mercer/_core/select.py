"""Which compiled module serves this machine, or none, and the one way to its functions.

Every native function has a twin of the same name and arguments in a module of `reference/`: its specification, its test
oracle, and what runs where nothing is compiled. `compiled(twin)` is the native function where there is one.

The same C++ sources are built once per instruction set; the best one that the processor has is imported. Environment:
`MERCER_CORE=off` uses the NumPy twins, `MERCER_ISA=v2` (v3, v4) forces an older set.
"""

from __future__ import annotations

import importlib
import os
from pathlib import Path
from types import ModuleType
from typing import TypeVar

import numpy as np

# What a level asks for beyond the one before (x86-64 psABI), by NumPy's names of processor features.
_LEVELS = {
    "v4": ("AVX512F", "AVX512BW", "AVX512CD", "AVX512DQ", "AVX512VL"),
    "v3": ("AVX2", "BMI2", "FMA3", "F16C"),
    "v2": ("SSE42", "POPCNT"),
    "baseline": (),
}
F = TypeVar("F")
_OFF = ("off", "0", "false", "no")


def _features() -> dict[str, bool]:
    core = np._core if hasattr(np, "_core") else np.core  # type: ignore[attr-defined, unused-ignore]
    return dict(core._multiarray_umath.__cpu_features__)


def _runs_here(level: str) -> bool:
    features = _features()
    names = list(_LEVELS)
    needed = [f for name in names[names.index(level) :] for f in _LEVELS[name]]
    return all(features.get(f, f in ("BMI2",)) for f in needed)


def _load() -> tuple[ModuleType | None, str]:
    if os.environ.get("MERCER_CORE", "").lower() in _OFF:
        return None, "numpy"
    forced = os.environ.get("MERCER_ISA")
    here = Path(__file__).parent
    for level in [forced] if forced else [name for name in _LEVELS if _runs_here(name)]:
        try:
            return importlib.import_module(f"mercer._core._native_{level}"), level
        except ModuleNotFoundError:
            if forced:
                raise ImportError(f"MERCER_ISA={forced}: no such module was built in {here}.") from None
    return None, "numpy"


native, backend = _load()


def compiled(twin: F) -> F:
    """The native function that `twin` specifies, or `twin` itself where nothing is compiled."""
    found: F = twin if native is None else getattr(native, twin.__name__)  # type: ignore[attr-defined]
    return found
