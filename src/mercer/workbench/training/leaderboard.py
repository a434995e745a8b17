"""The leaderboard as a table: for the terminal, for Python and for a notebook."""

from __future__ import annotations

import html
import io
from collections.abc import Iterator, Sequence
from typing import Any, overload

from rich.console import Console
from rich.table import Table as Grid
from rich.text import Text

from mercer.evaluation.decisions.decision import Decision
from mercer.evaluation.intervals import Score
from mercer.evaluation.metrics import METRICS
from mercer.evaluation.result import Comparison, plain
from mercer.evaluation.run.records import Entry
from mercer.formatting import threshold, visible
from mercer.report import sentences

WHY = {
    "cost": "least cost",
    "youden": "largest recall less false alarm rate",
    "recall": "largest precision with the recall asked for",
    "precision": "largest recall with the precision asked for",
    "given": "as given",
} | {rule: f"largest {title}" for rule, title in sentences.METRIC_TITLES.items()}
WIDE = 96  # letters of a terminal that has room for the seconds


class Leaderboard(Sequence[dict[str, Any]]):
    """The learners of a comparison, best first: a sequence of dicts that shows itself as a table.

    Parameters
    ----------
    comparison : Comparison
        What was found.

    Examples
    --------
    >>> import mercer
    >>> board = mercer.train(mercer.load_penguins(), "Sex", learners=["tree", "baseline"], quick=True).leaderboard
    >>> [line["learner"] for line in board]
    ['Decision tree', 'Baseline']
    """

    def __init__(self, comparison: Comparison) -> None:
        self._comparison = comparison
        self._lines = [_line(comparison, entry) for entry in comparison.leaderboard]

    @overload
    def __getitem__(self, place: int) -> dict[str, Any]: ...
    @overload
    def __getitem__(self, place: slice) -> list[dict[str, Any]]: ...
    def __getitem__(self, place: int | slice) -> dict[str, Any] | list[dict[str, Any]]:
        return self._lines[place]

    def __len__(self) -> int:
        return len(self._lines)

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return iter(self._lines)

    def __repr__(self) -> str:
        console = Console(file=io.StringIO(), width=200, no_color=True)
        with console.capture() as captured:
            console.print(leaderboard(self._comparison, WIDE))
        return "\n".join(line.rstrip() for line in captured.get().rstrip().splitlines())

    def _repr_html_(self) -> str:
        headings, rows = _texts(self._comparison)
        head = "".join(f"<th>{html.escape(h)}</th>" for h in headings)
        body = "".join(f"<tr>{''.join(f'<td>{html.escape(c)}</td>' for c in row)}</tr>" for row in rows)
        caption = html.escape(_title(self._comparison))
        return f"<table><caption>{caption}</caption><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _line(comparison: Comparison, entry: Entry) -> dict[str, Any]:
    """Figures of one learner: of the metric that ranks, then every other."""
    main = comparison.metric.key
    found: dict[str, Any] = {"key": entry.key, "learner": entry.title}
    for key in sorted(entry.cross_validated, key=lambda k: k != main):
        score, tested = entry.cross_validated[key], entry.held_out[key]
        found |= {key: score.value, f"{key}_low": score.low, f"{key}_high": score.high, f"{key}_held_out": tested.value}
    behind = None if entry.behind is None else entry.behind.value
    return {**found, "behind": behind, "tied": entry.tied, "seconds": entry.seconds, "error": entry.error}


def leaderboard(comparison: Comparison, width: int = WIDE) -> Grid:
    """Best first: the main metric by cross-validation with its interval, on the held-out rows, behind the best."""
    headings, rows = _texts(comparison)
    shown = len(headings) if width >= WIDE else len(headings) - 1
    title = Text(visible(_title(comparison)))
    grid = Grid(box=None, pad_edge=False, header_style="bold", title=title, title_justify="left")
    for heading in headings[:shown]:
        grid.add_column(Text(heading), justify="right" if heading == _SECONDS else "left")
    for place, (entry, row) in enumerate(zip(comparison.leaderboard, rows, strict=True)):
        styles = ["bold" if place == 0 else "", "red" if entry.error is not None else "", "", "", ""]
        cells = [Text(visible(cell), style=style) for cell, style in zip(row, styles, strict=True)]
        grid.add_row(*cells[:shown])
    return grid


_SECONDS = "Seconds"


def _title(comparison: Comparison) -> str:
    return f"{comparison.task}: {comparison.target.name} ({comparison.target.reason})"


def _texts(comparison: Comparison) -> tuple[list[str], list[list[str]]]:
    """Headings, and the cells of each learner."""
    metric, splits = comparison.metric, comparison.splits
    rounds = f", {splits.n_repeats} times" if splits.n_repeats > 1 else ""
    tested = "validation rows" if splits.kind == "validation" else f"{splits.n_folds} folds{rounds}"
    scored = f"{metric.title}, {tested} [{comparison.level:.0%} interval]"
    headings = ["Learner", scored, f"On {splits.n_held_out:,} held-out rows", "Behind", _SECONDS]
    return headings, [_cells(entry, metric.key) for entry in comparison.leaderboard]


def _cells(entry: Entry, key: str) -> list[str]:
    seconds = f"{entry.seconds:.1f}"
    if entry.error is not None:
        return [entry.title, f"failed: {entry.error}", "", "", seconds]
    scores = (entry.cross_validated.get(key), entry.held_out.get(key))
    return [entry.title, *map(_score, scores), _behind(entry), seconds]


def tie(comparison: Comparison, *, python: bool = False) -> str:
    """A sentence that offers a simpler learner which ties with the best, as in the report; '' when there is none."""
    names = "leaderboard", "metric", "simpler"
    return sentences.tie({name: plain(getattr(comparison, name)) for name in names}, python=python)


def preference(comparison: Comparison) -> str:
    """Which model is kept, where it is not the first of the leaderboard; '' where it is."""
    first, kept = comparison.leaderboard[0], comparison.best
    if kept is first:
        return ""
    if kept.recalibrated:
        chosen = f"Kept: {kept.title}, chosen before its probabilities were recalibrated"
        return f"{chosen}. {first.title} is now ahead of it."
    which = {"accurate": "averaged", "simple": "simplest", "fast": "fastest"}[comparison.preference]
    return f"Kept: {kept.title}, the {which} model within one standard error of {first.title}."


def decision(comparison: Comparison) -> str:
    """Which class a row is called, and what that leads to; '' where it is the most probable one."""
    found = comparison.decision
    if found is None:
        return ""
    usual = "at 0.5" if found.positive is not None else "by the most probable class"
    text = _rule(found, comparison.splits.kind)
    pairs = (METRICS["cost"], found.cost_cross_validated), (comparison.metric, found.score_cross_validated)
    for metric, both in pairs:
        if both is not None and both.chosen.value is not None and both.usual.value is not None:
            text += f" {metric.title}: {both.chosen.value:.4f}; {both.usual.value:.4f} {usual}."
    return text


def _rule(found: Decision, splits: str) -> str:
    if found.threshold is None:
        return "Decision: the class of least expected cost."
    chosen = found.cross_validated[0]
    precision = "no row is called so" if chosen.precision is None else f"precision {chosen.precision:.0%}"
    where = sentences.in_words_of(splits, "in cross-validation")
    reached = f"recall {chosen.recall or 0.0:.0%}, {precision} {where}."
    name = found.positive
    if found.stored.costs is not None:
        return (
            f"Decision: {name} where that is expected to cost less, row by row; where its costs are not known, "
            f"from a probability of {threshold(found.threshold)}: {reached}"
        )
    if found.stored.top is not None:
        return (
            f"Decision: {name} for the {found.stored.top:,} most probable rows of a table; here from a probability of "
            f"{threshold(found.threshold)}: {reached}"
        )
    return f"Threshold: {name} from a probability of {threshold(found.threshold)} ({WHY[found.rule]}): {reached}"


def _behind(entry: Entry) -> str:
    """The difference to the best; 'tie' where its interval holds 0."""
    if entry.behind is None or entry.behind.value is None:
        return ""
    return f"{entry.behind.value:.3f}{' tie' if entry.tied else ''}"


def _score(score: Score | None) -> str:
    if score is None or score.value is None:
        return "-"
    interval = "" if score.low is None or score.high is None else f" [{score.low:.3f}, {score.high:.3f}]"
    return f"{score.value:.3f}{interval}"
