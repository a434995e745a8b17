"""Two runs of `mercer train` compared by what they wrote: fold by fold where their folds are the same."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mercer.errors import BadFile, MercerError
from mercer.evaluation.assessment.display import Grid, as_html, as_text, interval_text, number_text
from mercer.evaluation.intervals import Score
from mercer.evaluation.metrics import METRICS
from mercer.evaluation.result import FORMAT, plain
from mercer.evaluation.uncertainty.difference import Difference, fold_difference
from mercer.formatting import counted
from mercer.report.sentences import kept
from mercer.report.several import SEVERAL_FORMAT
from mercer.workbench.evaluate import check_level

UNPAIRED = "separate intervals joined"
RESULT = "result.json"


@dataclass(frozen=True)
class LearnerLine:
    """A learner that both runs tried: the ranking metric in each, and the difference."""

    title: str
    first: float | None
    second: float | None
    difference: Difference


@dataclass(frozen=True)
class RunComparison:
    """The best models of two runs, and the learners that both tried, as `mercer.compare_runs` returns them.

    Parameters
    ----------
    names : tuple of str
        Folder and best learner of each run.
    target : str
        What both predict.
    metric : str
        Key of the metric that ranked the learners of the first run.
    paired : bool
        Whether the folds are the same, so that differences are taken fold by fold.
    scores : tuple of dict of str to Score
        Cross-validated scores of both best learners.
    differences : tuple of Difference
        First minus second in every metric.
    learners : tuple of LearnerLine
        Learners that both runs tried.
    level : float
        Confidence level of the intervals.
    notes : tuple of str, default ()
        What to know when reading the differences.

    Examples
    --------
    >>> import mercer
    >>> mercer.compare_runs("run-a", "run-b")
    Traceback (most recent call last):
        ...
    mercer.errors.BadFile: run-a: there is no result.json. Give a folder that mercer train wrote.
    """

    names: tuple[str, str]
    target: str
    metric: str
    paired: bool
    scores: tuple[dict[str, Score], dict[str, Score]]
    differences: tuple[Difference, ...]
    learners: tuple[LearnerLine, ...]
    level: float
    notes: tuple[str, ...] = ()

    @property
    def title(self) -> str:
        """What was compared."""
        how = "fold by fold" if self.paired else "by separate cross-validations"
        return f"{self.names[0]} against {self.names[1]}: {self.target}, {how}"

    def to_dict(self) -> dict[str, Any]:
        """Plain data, ready for JSON.

        Returns
        -------
        dict
            Every field.
        """
        return plain(self)

    def __str__(self) -> str:
        return as_text(self.title, self._grids(), self.notes)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return as_html(self.title, self._grids(), self.notes)

    def _grids(self) -> list[Grid]:
        head = ["difference", f"{100 * self.level:g} % interval", "p", "better"]
        best = [
            [METRICS[d.metric].title, *(number_text(s[d.metric].value) for s in self.scores), *self._cells(d)]
            for d in self.differences
        ]
        tried = [
            [line.title, number_text(line.first), number_text(line.second), *self._cells(line.difference)]
            for line in self.learners
        ]
        title = METRICS[self.metric].title
        grids = [Grid(["best models", "first", "second", *head], best)]
        return [*grids, Grid([title, "first", "second", *head], tried)] if tried else grids

    def _cells(self, d: Difference) -> list[str]:
        p_value = "" if d.p_value is None else "< 0.001" if d.p_value < 0.001 else f"{d.p_value:.3f}"
        verdict = ""
        if d.low is not None and d.high is not None:
            verdict = "no difference shown"
            if not d.low <= 0 <= d.high:
                verdict = "first" if (d.low > 0) == METRICS[d.metric].higher_is_better else "second"
        return [number_text(d.value), interval_text(Score(d.value, d.low, d.high)), p_value, verdict]


def compare_runs(a: str | Path, b: str | Path, *, level: float = 0.95) -> RunComparison:
    """The differences of two runs of `mercer train` on the same rows, with intervals.

    Where both dealt the same folds, the difference of each metric is taken fold by fold, with the corrected resampled t
    interval; otherwise their separate intervals are joined (Newcombe 1998), which is wider.

    Parameters
    ----------
    a, b : str or Path
        Folders that `mercer train` or `TrainResult.save` wrote.
    level : float, default 0.95
        Confidence level of the intervals of differences.

    Returns
    -------
    comparison : RunComparison
        Best model against best model in every metric, and the learners that both runs tried.

    Raises
    ------
    BadFile
        A folder does not hold a result of `mercer train`.
    MercerError
        The runs are of other rows or another target.

    Examples
    --------
    >>> import mercer
    >>> mercer.compare_runs("run-a", "run-b")
    Traceback (most recent call last):
        ...
    mercer.errors.BadFile: run-a: there is no result.json. Give a folder that mercer train wrote.
    """
    check_level(level)
    paths = Path(a), Path(b)
    one, two = (_read(path) for path in paths)
    _expect_same_rows(one, two, paths)
    paired = one["splits"]["folds_digest"] == two["splits"]["folds_digest"]
    share, best = float(one["splits"]["test_share"]), (kept(one), kept(two))
    shared, others = _shared_metrics(one, two, best)
    metric = str(one["metric"]["key"]) if one["metric"]["key"] in shared else shared[0]
    entries = [{e["key"]: e for e in run["leaderboard"] if e["error"] is None} for run in (one, two)]
    lines = []
    for key in entries[0].keys() & entries[1].keys():
        pair = entries[0][key], entries[1][key]
        found = _difference(*pair, metric, paired, share, level)
        one_value, two_value = (e["cross_validated"][metric]["value"] for e in pair)
        lines.append(LearnerLine(pair[0]["title"], one_value, two_value, found))
    order = [e["title"] for e in one["leaderboard"]]
    names = tuple(f"{path} ({entry['title']})" for path, entry in zip(paths, best, strict=True))
    return RunComparison(
        names=(names[0], names[1]),
        target=str(one["target"]["name"]),
        metric=metric,
        paired=paired,
        scores=(_scores(best[0]), _scores(best[1])),
        differences=tuple(_difference(*best, key, paired, share, level) for key in shared),
        learners=tuple(sorted(lines, key=lambda line: order.index(line.title))),
        level=level,
        notes=(*others, *_notes(paired, best, shared)),
    )


def _shared_metrics(
    one: dict[str, Any], two: dict[str, Any], best: tuple[dict[str, Any], dict[str, Any]]
) -> tuple[list[str], tuple[str, ...]]:
    """Metrics that both models have; costs only where they are the same, and a note where they are not."""
    shared = [key for key in METRICS if all(key in entry["cross_validated"] for entry in best)]
    first, second = ((run["decision"] or {}).get("costs") for run in (one, two))
    if first == second:
        return shared, ()
    note = "Errors do not cost the same in the two runs: what their decisions cost is not compared."
    return [key for key in shared if key != "cost"], (note,)


def _notes(paired: bool, best: tuple[dict[str, Any], dict[str, Any]], metrics: list[str]) -> tuple[str, ...]:
    if not paired:
        return ("The runs dealt their folds differently: differences are not paired, and wider.",)
    counts = [max(len(entry["folds"].get(key, [])) for key in metrics) for entry in best]
    if counts[0] == counts[1]:
        return ()
    met = f"The best models were scored on {counts[0]} and {counts[1]} folds, where a time limit was met"
    return (f"{met}: differences are those of the {counted(min(counts), 'fold')} that both have.",)


def _read(path: Path) -> dict[str, Any]:
    """The result in a folder, checked for what is used of it."""
    file = path / RESULT if path.is_dir() or path.suffix != ".json" else path
    try:
        result = json.loads(file.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise BadFile(f"{path}: there is no {RESULT}. Give a folder that mercer train wrote.") from None
    except (OSError, ValueError) as error:
        raise BadFile(f"{file} cannot be read as a result of mercer train: {error}") from None
    if isinstance(result, dict) and result.get("format") == SEVERAL_FORMAT:
        raise MercerError(f"{path} is a run of several targets, and runs are compared on one. Train it by itself.")
    if not isinstance(result, dict) or result.get("format") != FORMAT:
        raise BadFile(f"{file} is not a result that this version of mercer train wrote. Run mercer train again.")
    if "folds_digest" not in result.get("splits", {}) or not result.get("leaderboard"):
        raise BadFile(f"{file} does not say how the rows were split. Run mercer train again.")
    return result


def _expect_same_rows(one: dict[str, Any], two: dict[str, Any], paths: tuple[Path, Path]) -> None:
    if one["target"]["name"] != two["target"]["name"] or one["task"] != two["task"]:
        found = [f"{path} predicts {run['target']['name']!r}" for path, run in zip(paths, (one, two), strict=True)]
        raise MercerError(f"{found[0]}, {found[1]}: there is nothing to compare. Give runs with the same target.")
    if one["splits"]["rows_digest"] != two["splits"]["rows_digest"]:
        found = [f"{run['name']} with {run['splits']['n_rows']:,} rows" for run in (one, two)]
        raise MercerError(
            f"{paths[0]} and {paths[1]} are runs on different tables ({found[0]}; {found[1]}). Compare their models on "
            f"rows that neither was trained on: mercer compare {paths[0]} {paths[1]} TABLE."
        )


def _scores(entry: dict[str, Any]) -> dict[str, Score]:
    return {key: Score(**score) for key, score in entry["cross_validated"].items()}


def _difference(
    first: dict[str, Any], second: dict[str, Any], key: str, paired: bool, share: float, level: float
) -> Difference:
    folds = [[math.nan if v is None else v for v in entry["folds"].get(key, [])] for entry in (first, second)]
    both = min(map(len, folds))
    if paired and both:
        return fold_difference(key, folds[0][:both], folds[1][:both], share, level)
    one, two = (Score(**entry["cross_validated"][key]) for entry in (first, second))
    if one.value is None or two.value is None:
        return Difference(key, None)
    gap = one.value - two.value
    if one.low is None or one.high is None or two.low is None or two.high is None:
        return Difference(key, gap)
    low = gap - math.hypot(one.value - one.low, two.high - two.value)
    high = gap + math.hypot(one.high - one.value, two.value - two.low)
    return Difference(key, gap, low, high, None, UNPAIRED)
