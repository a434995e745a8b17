"""The leaderboard as a table for the terminal."""

from __future__ import annotations

from rich.table import Table as Grid
from rich.text import Text

from mercer.evaluation.intervals import Score
from mercer.evaluation.result import Comparison
from mercer.evaluation.run import Entry
from mercer.formatting import visible

WIDE = 96  # letters of a terminal that has room for the seconds


def leaderboard(comparison: Comparison, width: int = WIDE) -> Grid:
    """Best first: the main metric by cross-validation with its interval, on the held-out rows, behind the best."""
    metric, splits = comparison.metric, comparison.splits
    rounds = f", {splits.n_repeats} times" if splits.n_repeats > 1 else ""
    title = f"{comparison.task}: {comparison.target.name} ({comparison.target.reason})"
    grid = Grid(box=None, pad_edge=False, header_style="bold", title=Text(visible(title)), title_justify="left")
    grid.add_column("Learner")
    grid.add_column(
        f"{metric.title}, {splits.n_folds} folds{rounds} [{comparison.level:.0%} interval]".replace("[", "\\[")
    )
    grid.add_column(f"On {splits.n_held_out:,} held-out rows")
    grid.add_column("Behind")
    if width >= WIDE:
        grid.add_column("Seconds", justify="right")
    for place, entry in enumerate(comparison.leaderboard):
        style = "bold" if place == 0 else ""
        seconds = [f"{entry.seconds:.1f}"] if width >= WIDE else []
        if entry.error is not None:
            grid.add_row(Text(entry.title), Text(visible(f"failed: {entry.error}"), style="red"), "", "", *seconds)
            continue
        scores = (entry.cross_validated.get(metric.key), entry.held_out.get(metric.key))
        grid.add_row(Text(entry.title, style=style), *map(_score, scores), _behind(entry), *seconds)
    return grid


def tie(comparison: Comparison) -> str:
    """A sentence that offers a simpler learner which ties with the best; '' when there is none."""
    entry = next((e for e in comparison.leaderboard if e.key == comparison.simpler), None)
    if entry is None:
        return ""
    best = comparison.best.title
    return (
        f"A tie: {best} is not better than {entry.title}, which is simpler, beyond the error of their difference. "
        f"For the simpler model, add --learner {entry.key}."
    )


def decision(comparison: Comparison) -> str:
    """From which probability a row is called positive, and what that costs; '' when no threshold was asked for."""
    found = comparison.decision
    if found is None:
        return ""
    chosen, usual = found.cross_validated[:2]
    why = {"cost": "least cost", "f1": "best F1"}.get(found.rule, "as given")
    recall, precision = (0.0 if v is None else v for v in (chosen.recall, chosen.precision))
    text = (
        f"Threshold: {found.positive} from a probability of {found.threshold:.4f} ({why}): "
        f"recall {recall:.0%}, precision {precision:.0%} in cross-validation."
    )
    return text if chosen.cost is None else f"{text} Cost of a row: {chosen.cost:.4f}; {usual.cost:.4f} at 0.5."


def _behind(entry: Entry) -> Text:
    """The difference to the best; 'tie' where its interval holds 0."""
    if entry.behind is None or entry.behind.value is None:
        return Text("")
    return Text(f"{entry.behind.value:.3f}{' tie' if entry.tied else ''}")


def _score(score: Score | None) -> Text:
    if score is None or score.value is None:
        return Text("-")
    interval = "" if score.low is None or score.high is None else f" [{score.low:.3f}, {score.high:.3f}]"
    return Text(f"{score.value:.3f}{interval}")
