"""mercer in the terminal; one file a verb. Imports inside functions keep `mercer --help` quick.

`mercer train`: `jobs.reading.read` (cells) -> `evaluation.comparison.prepare` (target, kinds, table, splits) ->
`compare_learners` (fit each learner per fold, score, intervals, rank, refit the best) -> `report.page.render`
-> `store.save`. `mercer predict`: `store.open_model` -> `jobs.reading.read` -> `table.build` by the stored schema ->
scores, once, in chunks -> `atomic.write_file`.
"""

from __future__ import annotations

import io
import signal
import sys
from types import FrameType

INTERRUPTED = 130


def main() -> None:
    """Entry point of the command `mercer`."""
    for name in ("SIGTERM", "SIGHUP"):  # Windows has no SIGHUP; nohup has it ignored, and so it stays
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, _terminate)
    for stream in (sys.stdout, sys.stderr):  # a terminal that lacks a letter shows its number
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    try:
        from mercer.cli.app import app

        app()
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)


def _terminate(number: int, _: FrameType | None) -> None:
    """Leave by way of every `finally`, so that half-written files are taken away."""
    sys.exit(128 + number)
