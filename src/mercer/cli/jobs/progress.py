"""A progress bar, where stderr is a terminal."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import monotonic

from rich import progress
from rich.console import Console
from rich.text import Text

from mercer.evaluation.options import Progress

LONG = 2.0  # seconds after which a step shows its own time


class StepTime(progress.ProgressColumn):
    """Seconds since the step shown began, once they are many: they count while a slow learner is fitted."""

    def render(self, task: progress.Task) -> Text:
        seconds = task.get_time() - float(task.fields["since"])
        return Text(f"{seconds:.0f} s of" if seconds >= LONG else "", style="progress.elapsed")


@contextmanager
def progress_bar(
    what: str, console: Console | None = None, clock: Callable[[], float] = monotonic
) -> Iterator[Progress]:
    """A function `(what, share)` that moves a bar; nothing is drawn when stderr is not a terminal."""
    console = Console(stderr=True) if console is None else console
    if not console.is_terminal:
        yield lambda _what, _share: None
        return
    columns = (
        progress.TextColumn("{task.description}"),
        progress.BarColumn(),
        StepTime(),
        progress.TimeElapsedColumn(),
    )
    with progress.Progress(*columns, console=console, transient=True, get_time=clock) as bar:
        task = bar.add_task(what, total=1.0, since=clock())

        def show(now: str, share: float) -> None:
            if now != bar.tasks[task].description:
                bar.update(task, description=now, since=clock())
            bar.update(task, completed=share, refresh=True)

        yield show
