"""What is seen while a verb works."""

from io import StringIO

from rich.console import Console

from mercer.cli.jobs.progress import progress_bar


class Screen:
    """A terminal, and a clock that stands still until it is told."""

    def __init__(self, terminal: bool = True) -> None:
        self.text = StringIO()
        self.console = Console(file=self.text, force_terminal=terminal, width=100, color_system=None)
        self.now = 0.0

    def clock(self) -> float:
        return self.now

    def last(self) -> str:
        """The line as drawn last; a bar is redrawn after each return of the carriage."""
        lines = [line for line in self.text.getvalue().replace("\r", "\n").split("\n") if "fold" in line]
        return lines[-1]


def shown(steps: list[tuple[str, float]]) -> list[str]:
    """What stands on the screen some seconds after each step was reported."""
    screen, found = Screen(), []
    with progress_bar("fold 0", screen.console, screen.clock) as progress:
        for what, seconds in steps:
            progress(what, 0.5)
            screen.now += seconds
            progress(what, 0.5)
            found.append(screen.last())
    return found


def test_a_long_step_shows_how_long_it_has_taken():
    quick, long, longer, next_one = shown(
        [("svm: fold 1", 1), ("svm: fold 2", 3), ("svm: fold 2", 4), ("tree: fold 1", 0)]
    )
    assert "svm: fold 1" in quick
    assert " s of" not in quick
    assert "3 s of 0:00:04" in " ".join(long.split())
    assert "7 s of 0:00:08" in " ".join(longer.split())
    assert "tree: fold 1" in next_one
    assert " s of" not in next_one


def test_nothing_is_drawn_where_nobody_looks():
    screen = Screen(terminal=False)
    with progress_bar("Reading", screen.console, screen.clock) as progress:
        progress("fold 1", 0.5)
    assert screen.text.getvalue() == ""
