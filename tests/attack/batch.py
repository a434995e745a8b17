"""Attempts of one area in a process of its own, which ends when one of them goes too far.

A line of JSON for each attempt: its seed before it starts, so that a crash is known by it, then its outcome.
"""

from __future__ import annotations

import json
import signal
import sys
import time
import traceback
from importlib import import_module
from typing import Any

from tests.attack.outcome import Outcome, Surprise, Wrong

AREAS = ("model_files", "readers", "frames", "parameters", "parts", "workbench")
SECONDS = 30  # for one attempt; none needs one
MEMORY = 2 << 30  # bytes of addresses that one attempt may ask for


class TooSlow(BaseException):
    """An attempt ran into its time limit. No Exception: mercer must not take it for a fault of the file."""


def attempt(area: str, seed: int) -> tuple[Outcome, str]:
    """The outcome of one attempt, and what was wrong with it."""
    try:
        outcome: Outcome = import_module(f"tests.attack.{area}").attempt(seed)
    except Wrong as error:
        return Outcome.WRONG, str(error)
    except Surprise as error:
        return Outcome.SURPRISED, str(error)
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # a panic of polars is no Exception
        return Outcome.CRASHED, "".join(traceback.format_exception(error)[-6:])
    return outcome, ""


def run(area: str, first: int, count: int, seconds: float) -> None:
    """Attempts from the seed `first` on, until there were `count` or the time is up."""
    import_module(f"tests.attack.{area}")
    signal.signal(signal.SIGALRM, _stop)
    end = time.monotonic() + seconds
    for seed in range(first, first + count):
        if time.monotonic() > end:
            break
        _say({"seed": seed})
        _limit_memory()
        signal.alarm(SECONDS)
        outcome, why = attempt(area, seed)
        signal.alarm(0)
        _say({"seed": seed, "outcome": outcome, "why": why})


def _say(line: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps(line) + "\n")
    sys.stdout.flush()


def _stop(*_: object) -> None:
    raise TooSlow(f"longer than {SECONDS} seconds")


def _limit_memory() -> None:
    """Anew for each attempt: allocators keep addresses that a refused file asked for, though no memory behind them."""
    if sys.platform == "linux":
        import resource  # noqa: PLC0415  of Unix alone

        with open("/proc/self/statm") as file:
            used = int(file.read().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (used + MEMORY, resource.RLIM_INFINITY))
