"""Two runs of `mercer train` compared by what they wrote: fold by fold where their folds are the same."""

from __future__ import annotations

import json
import math
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from mercer.arrays import Floats
from mercer.errors import BadFile, MercerError
from mercer.evaluation.assessment.display import Grid, as_html, as_text, interval_text, number_text
from mercer.evaluation.intervals import Score, corrected_t
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
class RunLine:
    """One figure of both runs with its difference: the ranking metric of a learner, or the cost of the decisions."""

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
    learners : tuple of RunLine
        Learners that both runs tried, by the ranking metric.
    level : float
        Confidence level of the intervals.
    costs : tuple of RunLine, default ()
        Where errors do not cost the same in both runs: what a row costs as the best model of each calls it, by the
        costs of the first and by those of the second.
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
    learners: tuple[RunLine, ...]
    level: float
    costs: tuple[RunLine, ...] = ()
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
        grids = [Grid(["best models", "first", "second", *head], best)]
        for title, lines in (("Cost of a row", self.costs), (METRICS[self.metric].title, self.learners)):
            rows = [
                [line.title, number_text(line.first), number_text(line.second), *self._cells(line.difference)]
                for line in lines
            ]
            grids += [Grid([title, "first", "second", *head], rows)] if rows else []
        return grids

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
    interval; otherwise their separate intervals are joined (Newcombe 1998), which is wider. Where errors do not cost
    the same in both, the decisions of both are costed by either.

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
    shared = _shared_metrics(one, two, best)
    costs, others = _costs(one, two, paths, paired, level)
    metric = str(one["metric"]["key"]) if one["metric"]["key"] in shared else shared[0]
    entries = [{e["key"]: e for e in run["leaderboard"] if e["error"] is None} for run in (one, two)]
    lines = []
    for key in entries[0].keys() & entries[1].keys():
        pair = entries[0][key], entries[1][key]
        found = _difference(*pair, metric, paired, share, level)
        one_value, two_value = (e["cross_validated"][metric]["value"] for e in pair)
        lines.append(RunLine(pair[0]["title"], one_value, two_value, found))
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
        costs=costs,
        notes=(*others, *_notes(paired, best, shared)),
    )


def _shared_metrics(one: dict[str, Any], two: dict[str, Any], best: tuple[dict[str, Any], dict[str, Any]]) -> list[str]:
    """Metrics that both models have; the cost only where errors cost the same in both."""
    shared = [key for key in METRICS if all(key in entry["cross_validated"] for entry in best)]
    return shared if _prices(one) == _prices(two) else [key for key in shared if key != "cost"]


def _prices(run: dict[str, Any]) -> dict[str, Any] | None:
    found: dict[str, Any] | None = (run["decision"] or {}).get("costs")
    return found


def _costs(
    one: dict[str, Any], two: dict[str, Any], paths: tuple[Path, Path], paired: bool, level: float
) -> tuple[tuple[RunLine, ...], tuple[str, ...]]:
    """What a row costs as either run calls it, by the costs of each that has some, and what to know of that.

    By the confusion matrices of the folds, so that amounts of single rows cannot be taken into account.
    """
    prices = [(path, _prices(run)) for path, run in zip(paths, (one, two), strict=True)]
    if prices[0][1] == prices[1][1]:
        return (), ()
    lines, notes = [], []
    for path, costs in prices:
        if costs is None:
            continue
        if costs["columns"] or not (one["confusions"] and two["confusions"]):
            why = "which are amounts of rows" if costs["columns"] else "of many classes"
            models = f"{paths[0]}/model.mercer {paths[1]}/model.mercer"
            notes.append(f"The costs of {path}, {why}, are compared on a table: mercer compare {models} TABLE.")
            continue
        pair = [_costed(run, np.array(costs["amounts"]), level) for run in (one, two)]
        found = _difference(pair[0], pair[1], "cost", paired, float(one["splits"]["test_share"]), level)
        values = [entry["cross_validated"]["cost"]["value"] for entry in pair]
        lines.append(RunLine(f"by the costs of {path}", values[0], values[1], found))
    how = ": the decisions of both are costed by either" if lines else ""
    return tuple(lines), (f"Errors do not cost the same in the two runs{how}.", *notes)


def _costed(run: dict[str, Any], amounts: Floats, level: float) -> dict[str, Any]:
    """The cost of a row on each fold, and its mean, as a leaderboard has them of a metric."""
    folds = [float((np.array(matrix) * amounts).sum() / np.sum(matrix)) for matrix in run["confusions"]]
    mean = corrected_t(folds, float(run["splits"]["test_share"]), level, METRICS["cost"].limits)
    return {"folds": {"cost": folds}, "cross_validated": {"cost": asdict(mean)}}


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
