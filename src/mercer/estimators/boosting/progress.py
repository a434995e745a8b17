"""How far a long fit has come, for `verbose`."""

from __future__ import annotations

from collections.abc import Callable
from time import monotonic

EVERY = 1.0  # seconds from line to line


def round_printer(most: int, clock: Callable[[], float] = monotonic) -> Callable[[int], bool]:
    """A function of the number of rounds done that prints it of `most`, once a second at most; always True."""
    begin = clock()
    last = begin

    def show(done: int) -> bool:
        nonlocal last
        now = clock()
        if now - last >= EVERY:
            last = now
            print(f"Round {done:,} of at most {most:,} after {now - begin:.0f} s", flush=True)
        return True

    return show
