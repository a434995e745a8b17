"""How much memory the machine has."""

from __future__ import annotations

import ctypes
import os

from mercer.errors import TooLarge
from mercer.formatting import byte_size

UNKNOWN = 8 * 2**30  # assumed where the system does not say


def physical_memory() -> int:
    """Bytes of physical memory, on Linux, macOS and Windows.

    >>> physical_memory() > 2**20
    True
    """
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):  # Windows has no sysconf
        return _windows_memory()


def expect_memory(needed: float, what: str, instead: str) -> None:
    """TooLarge, which says `what` takes them and what to do `instead`, for more bytes than the machine has."""
    if needed > physical_memory():
        raise TooLarge(f"{what} {byte_size(needed)}; this machine has {byte_size(physical_memory())}. {instead}")


def _windows_memory() -> int:
    library = getattr(ctypes, "windll", None)
    kilobytes = ctypes.c_ulonglong()
    if library is None or not library.kernel32.GetPhysicallyInstalledSystemMemory(ctypes.byref(kilobytes)):
        return UNKNOWN
    return kilobytes.value * 1024
