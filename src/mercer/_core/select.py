"""Which compiled module serves this machine, or none, and the one way to its functions.

Every native function has a twin of the same name and arguments in a module of `reference/`: its specification, its test
oracle, and what runs where nothing is compiled. `compiled(twin)` is the native function where there is one.

The same C++ sources are built once per instruction set; the best one that the processor has is imported. Environment:
`MERCER_CORE=off` uses the NumPy twins, `MERCER_ISA=v2` (v3, v4) forces an older set.
"""

from __future__ import annotations

import atexit
import importlib
import os
from pathlib import Path
from types import ModuleType
from typing import TypeVar

import numpy as np

from mercer.errors import BadEnvironment

# What a level asks for beyond the one before (x86-64 psABI), by NumPy's names of processor features.
_LEVELS = {
    "v4": ("AVX512F", "AVX512BW", "AVX512CD", "AVX512DQ", "AVX512VL"),
    "v3": ("AVX2", "BMI2", "FMA3", "F16C"),
    "v2": ("SSE42", "POPCNT"),
    "baseline": (),
}
F = TypeVar("F")
_PATIENCE = 30.0  # seconds that an exit waits for native calls of other threads; see native/src/gil.hpp
_OFF = ("off", "0", "false", "no")


def _features() -> dict[str, bool]:
    core = np._core if hasattr(np, "_core") else np.core  # type: ignore[attr-defined, unused-ignore]
    return dict(core._multiarray_umath.__cpu_features__)


def _lacking(level: str) -> list[str]:
    """The processor features that a level needs and this machine has not."""
    features = _features()
    names = list(_LEVELS)
    needed = [f for name in names[names.index(level) :] for f in _LEVELS[name]]
    return [f for f in needed if not features.get(f, f in ("BMI2",))]


def _runs_here(level: str) -> bool:
    return not _lacking(level)


def _load() -> tuple[ModuleType | None, str]:
    if os.environ.get("MERCER_CORE", "").lower() in _OFF:
        return None, "numpy"
    forced = os.environ.get("MERCER_ISA")
    if forced in _LEVELS and not _runs_here(forced):
        best = next(name for name in _LEVELS if _runs_here(name))
        raise BadEnvironment(
            f"MERCER_ISA={forced}: this processor lacks {', '.join(_lacking(forced))}. It has {best}: "
            f"set MERCER_ISA={best}, or leave it unset to have the best one chosen."
        )
    here = Path(__file__).parent
    for level in [forced] if forced else [name for name in _LEVELS if _runs_here(name)]:
        try:
            return importlib.import_module(f"mercer._core._native_{level}"), level
        except ModuleNotFoundError:
            if forced:
                raise BadEnvironment(f"MERCER_ISA={forced}: no such module was built in {here}.") from None
    return None, "numpy"


native, backend = _load()
if native is not None:
    atexit.register(native._stop_running_calls, _PATIENCE)
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=native._forget_running_calls)


def compiled(twin: F) -> F:
    """The native function that `twin` specifies, or `twin` itself where nothing is compiled."""
    found: F = twin if native is None else getattr(native, twin.__name__)  # type: ignore[attr-defined]
    return found
