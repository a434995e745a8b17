"""Progress where there is someone to see it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeAlias

from rich import progress
from rich.console import Console

Progress: TypeAlias = Callable[[str, float], None]


@contextmanager
def progress_bar(what: str) -> Iterator[Progress]:
    """A function `(what, share)` that moves a bar; nothing is drawn when stderr is not a terminal."""
    console = Console(stderr=True)
    if not console.is_terminal:
        yield lambda _what, _share: None
        return
    columns = (progress.TextColumn("{task.description}"), progress.BarColumn(), progress.TimeElapsedColumn())
    with progress.Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task(what, total=1.0)
        yield lambda now, share: bar.update(task, description=now, completed=share)
