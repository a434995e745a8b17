"""What a fit in chunks would cost, from constants that `benchmarks/scale.py --only constants` measures."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from mercer.errors import BadParameter
from mercer.formatting import byte_size
from mercer.scale.chunks import CELLS
from mercer.scale.memory import most_kept

# Measured on one core, on 250,000 to 50,000,000 rows of 24 numbers and 6 categories; of linear models, a busy one.
SURVEY, READ = 28e-9, 9e-9  # seconds a cell: the first pass with its reading; reading again
TASK = 4e-3  # seconds of the scheduler for a task, by the clock
COPIES = 4  # of a chunk that a worker holds while it works: as read, as a table, as a design matrix, one in flight
MOST_TASKS = 1_000_000  # of one pass, which a scheduler holds at once at about 2 kB each
ROUND = 20e-9  # seconds a cell of a round of boosting
TERMS = 3.5  # of a design matrix, for each column of that table
_NUMBER = 8
_CLASSES = 2


@dataclass(frozen=True)
class Cost:
    """What a learner costs beyond reading.

    Attributes
    ----------
    passes : int
        Over the table, that of the columns included.
    work : float
        Seconds a cell on the workers, in all passes together.
    state : callable
        Bytes of what a chunk sends on in a pass, from the number of columns.
    questions : int
        That are asked of every worker after the passes, about what it holds.
    answer : callable
        Bytes of what a worker answers, from the number of columns.
    held_row : float
        Bytes a row that the process that asks holds at most, for classes.
    most_rows : float
        That the learner adds up.
    """

    passes: int
    work: float
    state: Callable[[int], float]
    questions: int = 0
    answer: Callable[[int], float] = lambda d: 0.0
    held_row: float = 0.0
    most_rows: float = math.inf


COSTS = {
    "NaiveBayes": Cost(3, 5e-9, lambda d: _NUMBER * 5 * d * _CLASSES),
    "LinearRegression": Cost(7, 110e-9, lambda d: _NUMBER * (TERMS * d + 1) ** 2),
    "LogisticRegression": Cost(9, 220e-9, lambda d: _NUMBER * (TERMS * d + 1) ** 2),
    "HistGradientBoosting, 100 rounds": Cost(
        4, 28e-9 + 100 * ROUND, lambda d: 0.0, 1100, lambda d: 5 * 256 * 2 * _NUMBER * d, 12.0, 2.0**30
    ),
}


@dataclass(frozen=True)
class Estimate:
    """What one learner would take.

    Attributes
    ----------
    learner : str
        Its name.
    passes, merges : int
        Over the table; of states, in all passes.
    seconds : float
        By the clock.
    bytes_read, bytes_moved : float
        From files, and between processes.
    worker_memory, own_memory : float
        Bytes of a worker, and of the process that asks.
    breaks_first : str
        What would be too small first as rows are added, and at how many rows.
    """

    learner: str
    passes: int
    merges: int
    seconds: float
    bytes_read: float
    bytes_moved: float
    worker_memory: float
    own_memory: float
    breaks_first: str


class Plan(tuple[Estimate, ...]):
    """An estimate for each learner; shown as a table."""

    __slots__ = ()

    def __repr__(self) -> str:
        headings = f"{'read':>9}{'moved':>9}{'merges':>10}{'worker':>9}{'here':>9}"
        lines = [f"{'learner':<34}{'passes':>7}{'hours':>8}{headings}"]
        for e in self:
            sizes = "".join(f"{byte_size(b):>9}" for b in (e.bytes_read, e.bytes_moved))
            held = "".join(f"{byte_size(b):>9}" for b in (e.worker_memory, e.own_memory))
            lines.append(f"{e.learner:<34}{e.passes:>7}{e.seconds / 3600:>8.2f}{sizes}{e.merges:>10,}{held}")
        return "\n".join([*lines, *(f"{e.learner}: {e.breaks_first}" for e in self)])


def plan(rows: int, columns: int, workers: int, *, memory: float = 16e9) -> Plan:
    """Estimate what fits in chunks would take: seconds, bytes moved, memory, and what would break first.

    With m cells in c chunks, p passes, w workers, a state of s bytes and q questions that a worker answers by a bytes,
    seconds = max(m (survey + read (p - 1) (1 - kept) + work) / w, 2 c p task) + 2 q w task and
    bytes moved = s (c - 1) p (w - 1) / w + q a w; kept is the share of the cells that workers keep from pass to pass.

    Parameters
    ----------
    rows : int
        Of the table.
    columns : int
        Beside the target.
    workers : int
        Processes of one core each; 1 for this one alone.
    memory : float, default 16e9
        Bytes that the process that asks, and each worker, has.

    Returns
    -------
    plan : Plan
        An `Estimate` for each learner.

    Raises
    ------
    BadParameter
        Something is not a number above 0.

    Examples
    --------
    >>> import mercer
    >>> [(e.learner, e.passes, round(e.seconds)) for e in mercer.scale.plan(10_000_000, 30, 2)][:2]
    [('NaiveBayes', 3, 7), ('LinearRegression', 7, 26)]
    """
    for name, value in (("rows", rows), ("columns", columns), ("workers", workers), ("memory", memory)):
        if not value > 0:
            raise BadParameter(f"{name} = {value!r}: give a number above 0.")
    return Plan(_estimate(learner, cost, rows, columns, workers, memory) for learner, cost in COSTS.items())


def _estimate(learner: str, cost: Cost, rows: int, columns: int, workers: int, memory: float) -> Estimate:
    cells = rows * columns
    chunks = math.ceil(cells / CELLS)
    kept = min(1.0, workers * most_kept(memory) / (cells * _NUMBER))
    again = (cost.passes - 2) * (1 - kept) + 1  # passes behind the first that read, the second always
    on_workers = cells * (SURVEY + READ * again + cost.work) / workers
    scheduled = 2 * chunks * cost.passes * TASK if workers > 1 else 0.0
    state = cost.state(columns)
    moved = state * (chunks - 1) * cost.passes * (workers - 1) / workers
    asked = cost.questions * workers * (workers > 1)
    moved += asked * cost.answer(columns)
    return Estimate(
        learner,
        cost.passes,
        (chunks - 1) * cost.passes,
        max(on_workers, scheduled) + 2 * asked * TASK,
        cells * _NUMBER * (1 + again),
        moved,
        COPIES * min(cells, CELLS) * _NUMBER + min(most_kept(memory), cells * _NUMBER) + 2 * state,
        rows * cost.held_row + 2 * state,
        _breaks_first(cost, columns, workers, memory, on_workers * workers / scheduled if scheduled else math.inf),
    )


def _breaks_first(cost: Cost, columns: int, workers: int, memory: float, useful: float) -> str:
    """The limit that the fewest rows reach; `useful` workers keep the scheduler busy all the time."""
    state = cost.state(columns)
    if COPIES * CELLS * _NUMBER + most_kept(memory) + 2 * state > memory:
        return f"a worker needs more than its {byte_size(memory)}, however many rows there are: leave out columns."
    found = []
    held = cost.held_row
    if held:
        room = f"the process that asks holds {held:.0f} bytes a row, and has {byte_size(memory)}"
        few = f"no more than {cost.most_rows:.2g} rows are added up"
        most = min(cost.most_rows, memory / held)
        found.append(f"from {most:.2g} rows on, {room if most < cost.most_rows else few}.")
    if workers > useful:
        larger = math.ceil(workers / useful)
        found.append(f"{useful:.0f} workers keep the scheduler busy: take chunks {larger} times as large (cells=).")
    elif workers > 1 and not held:
        most = MOST_TASKS / 2 * CELLS / columns
        found.append(f"from {most:.2g} rows on, a pass has {MOST_TASKS:,} tasks, more than a scheduler holds well.")
    return " ".join(found) or "nothing but time: memory does not grow with the rows."
