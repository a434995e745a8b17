"""What every benchmark shares: where the tables are, best-of-n timing, peak memory, and rows of ratios.

A question is a module with `rows(data: Path) -> list[Row]`. Rivals run in the same process and the same run, because
machines differ and are noisy: only ratios mean anything.
"""

from __future__ import annotations

import ctypes
import gzip
import os
import shutil
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Row:
    """One measurement: ours and the rival's, in the same unit, and what was asked for."""

    question: str
    ours: float
    rival: float
    rival_name: str
    bar: str
    unit: str = "s"

    @property
    def ratio(self) -> float:
        return self.rival / self.ours

    def line(self) -> str:
        """As a row of a Markdown table; the ratio says how many times ours is smaller than the rival's."""
        ours, rival = f"{self.ours:.3g} {self.unit}", f"{self.rival:.3g} {self.unit}"
        return f"| {self.question} | {ours} | {self.rival_name} {rival} | {self.ratio:.2f} | {self.bar} |"


HEADER = "| question | mercer | rival | rival / mercer | asked for |\n|---|---|---|---|---|"


def data_folder() -> Path:
    """MERCER_DATA, or a refusal that says what it is."""
    folder = os.environ.get("MERCER_DATA")
    if not folder or not Path(folder).is_dir():
        raise SystemExit("Set MERCER_DATA to the folder of public tables (covtype/, census_income_kdd/, ...).")
    return Path(folder)


def best(action: Callable[[], Any], repeats: int = 5) -> float:
    """The smallest wall time of several runs: the one least disturbed by other work."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        action()
        times.append(time.perf_counter() - start)
    return min(times)


def peak_extra(action: Callable[[], Any]) -> float:
    """Bytes by which the resident set grew at most while the action ran, sampled every millisecond.

    What earlier actions freed goes back first: the action would use it again without growing.
    """
    page = os.sysconf("SC_PAGE_SIZE")
    ctypes.CDLL(None).malloc_trim(0)

    def resident() -> int:
        return int(Path("/proc/self/statm").read_text().split()[1]) * page

    before, peak, done = resident(), 0, threading.Event()

    def watch() -> None:
        nonlocal peak
        while not done.is_set():
            peak = max(peak, resident())
            time.sleep(0.001)

    watcher = threading.Thread(target=watch)
    watcher.start()
    action()
    done.set()
    watcher.join()
    return float(max(peak - before, 0))


@contextmanager
def unpacked(path: Path) -> Iterator[Path]:
    """A gzipped file as a plain one, for as long as it is needed."""
    with tempfile.TemporaryDirectory() as folder:
        plain = Path(folder) / path.stem
        with gzip.open(path) as source, plain.open("wb") as target:
            shutil.copyfileobj(source, target)
        yield plain
