"""The memory of the machine, also where the system says it otherwise or not at all."""

from __future__ import annotations

import ctypes
import os
from types import SimpleNamespace
from typing import Any

import pytest

from mercer._core.memory import UNKNOWN, physical_memory


def test_a_machine_has_some_memory() -> None:
    assert 2**26 < physical_memory() < 2**50


def test_windows_is_asked_where_there_is_no_sysconf(monkeypatch: pytest.MonkeyPatch) -> None:
    def installed(kilobytes: Any) -> int:
        kilobytes._obj.value = 4 * 2**20
        return 1

    kernel32 = SimpleNamespace(GetPhysicallyInstalledSystemMemory=installed)
    monkeypatch.delattr(os, "sysconf")
    assert physical_memory() == UNKNOWN
    monkeypatch.setattr(ctypes, "windll", SimpleNamespace(kernel32=kernel32), raising=False)
    assert physical_memory() == 4 * 2**30
