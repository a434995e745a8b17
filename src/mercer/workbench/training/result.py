"""What training found: leaderboard, model, report; shown in a terminal and in a notebook."""

from __future__ import annotations

import html
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.frozen import FrozenEstimator
from sklearn.model_selection import FixedThresholdClassifier

from mercer.arrays import Floats
from mercer.atomic import write_file
from mercer.errors import MercerError
from mercer.evaluation.assessment.evaluation import Evaluation
from mercer.evaluation.result import Comparison
from mercer.evaluation.run.records import Entry
from mercer.report import sentences
from mercer.report.page import render
from mercer.select.decisions import DecisionRule
from mercer.store import StoredModel
from mercer.store.model import Card, save_stored
from mercer.store.summary import TrainingSummary
from mercer.table import Table, Task
from mercer.table.kinds.parts import as_dates
from mercer.workbench.decided import Decided
from mercer.workbench.evaluate import evaluate
from mercer.workbench.labelled import labelled_rows
from mercer.workbench.sources import amounts_of, open_rows, read_rows
from mercer.workbench.training.leaderboard import Leaderboard, decision, preference, tie
from mercer.workbench.training.run_folder import RunResult


class TrainResult(RunResult):
    """The result of `mercer.train`: how good each learner is, and the best one fitted to every row.

    Parameters
    ----------
    comparison : Comparison
        All that was found, as plain dataclasses.
    missing : tuple of str, default ()
        Further cells that meant "missing" in the training table.
    summary : TrainingSummary or None, default None
        What the training rows held, for the model file.

    Attributes
    ----------
    comparison : Comparison
        All that was found. `comparison.best_model` is the bare learner, without a threshold.
    missing : tuple of str
        Further cells that mean "missing".
    summary : TrainingSummary or None
        Ranges, shares of levels and gaps of the training rows.

    Examples
    --------
    >>> import mercer
    >>> result = mercer.train(mercer.load_penguins(), "Sex", learners="baseline", quick=True)
    >>> result.leaderboard[0]["learner"]
    'Baseline'
    """

    def __init__(
        self, comparison: Comparison, missing: tuple[str, ...] = (), summary: TrainingSummary | None = None
    ) -> None:
        self.comparison = comparison
        self.missing = missing
        self.summary = summary

    @property
    def leaderboard(self) -> Leaderboard:
        """The learners, best first, with their scores; `pandas.DataFrame(result.leaderboard)` makes a frame of it."""
        return Leaderboard(self.comparison)

    @property
    def best(self) -> Entry:
        """The line of the leaderboard of the model that is kept: scores by metric, each with its interval."""
        return self.comparison.best

    @property
    def notices(self) -> list[str]:
        """What a reader should know of the data and of the learners."""
        return list(self.comparison.notices)

    @property
    def threshold(self) -> float | None:
        """From which probability a row is called positive; None for the more probable class."""
        return None if self.comparison.decision is None else self.comparison.decision.threshold

    @property
    def model(self) -> Any:
        """The best learner fitted to every row, as a scikit-learn estimator whose `predict` goes by the decision.

        Where a threshold was chosen, this is scikit-learn's FixedThresholdClassifier around the learner; where rows are
        decided by their expected costs, or as the most probable ones of a table, `mercer.workbench.decided.Decided`.
        """
        learner, rule = self.comparison.best_model, self._rule()
        if rule is None:
            return learner
        if rule.costs is not None or rule.top is not None or rule.class_weights is not None:
            return Decided(learner, rule)
        return FixedThresholdClassifier(FrozenEstimator(learner), threshold=rule.threshold, pos_label=self._positive())

    def predict(self, data: Any) -> NDArray[Any]:
        """The class or number predicted for each row, by the costs or the threshold where these were given.

        Parameters
        ----------
        data : str, Path, data frame, mapping, ndarray or Table
            New rows. Columns are found by name, in any order; the target may be among them.

        Returns
        -------
        predicted : ndarray of shape (n_rows,)
            Classes, numbers, or where the target is a date datetime64.

        Examples
        --------
        >>> import mercer
        >>> rows = {"x": [1, 2, 3, 4] * 9, "y": [2, 4, 6, 8] * 9}
        >>> result = mercer.train(rows, "y", task="regression", learners="linear")
        >>> result.predict({"x": [10]}).round(6)
        array([20.])
        """
        rule, model = self._rule(), self.model
        if rule is not None and rule.columns:
            amounts = amounts_of(data, rule.columns, self.missing, self.comparison.best_model.schema_)
            return np.asarray(model.predict(self._rows(data), amounts))
        predicted: NDArray[Any] = np.asarray(model.predict(self._rows(data)))
        unit = self.comparison.target.date_unit
        return as_dates(predicted, unit) if unit else predicted

    def predict_proba(self, data: Any) -> Floats:
        """The probability of each class, in the order of `classes`.

        Parameters
        ----------
        data : str, Path, data frame, mapping, ndarray or Table
            New rows, as for `predict`.

        Returns
        -------
        probabilities : ndarray of shape (n_rows, n_classes)
            Rows add up to 1.

        Raises
        ------
        MercerError
            The target is a number.
        """
        if self.comparison.task is not Task.CLASSIFICATION:
            raise MercerError(f"{self.comparison.target.name!r} is a number: there are no probabilities of classes.")
        found: Floats = self.model.predict_proba(self._rows(data))
        return found

    def evaluate(self, data: Any, y: Any = None) -> Evaluation:
        """Every metric of the model with its interval on rows that it was not fitted to.

        Parameters
        ----------
        data : str, Path, data frame, mapping, ndarray or Table
            Test rows. Of a file, rows without a target are left out.
        y : array of shape (n_rows,), str or None, default None
            Their target, or the name of its column; None for the column of the training table's name.

        Returns
        -------
        evaluation : Evaluation
            As of `mercer.evaluate`.
        """
        learner, amounts = self.comparison.best_model, None
        y = self.comparison.target.name if y is None else y
        own = self.stored()
        stored = replace(own, card=replace(own.card, target=str(y)))
        if isinstance(data, str | Path) and isinstance(y, str):
            source = open_rows(data, missing=self.missing, schema=learner.schema_)
            rows = labelled_rows(stored, source)
            data, y, amounts = rows.table, rows.target, rows.amounts
        return evaluate(stored, data, y, amounts=amounts)

    @property
    def classes(self) -> NDArray[Any]:
        """The classes, in the order of the columns of `predict_proba`; empty where the target is a number."""
        found: NDArray[Any] = getattr(self.comparison.best_model, "classes_", np.empty(0))
        return found

    def report(self, path: str | Path) -> Path:
        """Write the report: one self-contained HTML page.

        Parameters
        ----------
        path : str or Path
            The file; an existing one is replaced.

        Returns
        -------
        path : Path
            The file written.
        """
        path = Path(path)
        write_file(path, [render(self.to_dict()).encode()])
        return path

    def save(self, path: str | Path) -> Path:
        """Write the model, with its threshold, for `mercer.load` and `mercer predict`.

        Parameters
        ----------
        path : str or Path
            Ends in ".mercer"; an existing file is replaced.

        Returns
        -------
        path : Path
            The file written.
        """
        save_stored(self.stored(), path)
        return Path(path)

    def stored(self) -> StoredModel:
        """The model with what is stored beside it.

        Returns
        -------
        stored : StoredModel
            As a model file has it.
        """
        found = self.comparison
        card = Card(
            task=str(found.task),
            target=found.target.name,
            training_rows=found.training_rows,
            missing=self.missing,
            holds_training_rows=found.best.holds_rows,
            decision=self._rule(),
            date_unit=found.target.date_unit,
            notation=found.target.notation,
            positive_class=found.target.positive or "",
        )
        return StoredModel(found.best_model, card, self.summary)

    def to_dict(self) -> dict[str, Any]:
        """Everything found as plain data, ready for JSON.

        Returns
        -------
        result : dict
            What result.json holds.
        """
        return self.comparison.to_dict()

    def _rows(self, data: Any) -> Table:
        found = self.comparison
        return read_rows(data, found.best_model.schema_, found.target.name, self.missing)

    def _rule(self) -> DecisionRule | None:
        """Which class a row is called, for the classes in the order of the model's; None for the most probable."""
        found = self.comparison.decision
        return None if found is None else found.in_order_of(self.classes)

    def _positive(self) -> Any:
        assert self.comparison.decision is not None
        named = self.comparison.decision.positive
        return next(label for label in self.classes.tolist() if str(label) == named)

    def __repr__(self) -> str:
        lines = [sentences.headline(self.to_dict()), "", repr(self.leaderboard)]
        found = self.comparison
        for sentence in filter(None, (preference(found), tie(found, python=True), decision(found))):
            lines += ["", sentence]
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        result = self.to_dict()
        offer = sentences.tie(result, python=True)
        words = [sentences.headline(result), sentences.verdict(result)[1], offer, decision(self.comparison)]
        notices = "".join(f"<li>{html.escape(n)}</li>" for n in sentences.cautions(result))
        paragraphs = "".join(f"<p>{html.escape(w)}</p>" for w in words if w)
        return f"{paragraphs}{self.leaderboard._repr_html_()}{f'<ul>{notices}</ul>' if notices else ''}"
