"""mercer.counterfactual: what would change the answer of a model for one row."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import date
from typing import Any, TypeAlias

import numpy as np

from mercer.errors import MercerError
from mercer.evaluation.attribution.changes import Counterfactual, find_changes
from mercer.evaluation.attribution.explain import model_rows
from mercer.evaluation.attribution.goal import class_goal, number_goal
from mercer.evaluation.attribution.score import model_score
from mercer.select.decisions import DecisionRule
from mercer.store import StoredModel
from mercer.table.formats.containers import row_count, take_rows
from mercer.table.kinds.parts import DateUnit, days_of
from mercer.workbench.arguments import checks_arguments
from mercer.workbench.explain import open_stored, readable, row_places, stored_background

Limit: TypeAlias = float | str | date | np.datetime64
MOST_ROWS = 2000  # whose cells are candidates
MADE_UP = 400  # rows made up from summaries
AGREEMENT_ROWS = 50  # on which scores and predictions are compared


@checks_arguments
def counterfactual(
    model: Any,
    X: Any,
    row: int = 0,
    *,
    to: Any = None,
    above: Limit | None = None,
    below: Limit | None = None,
    threshold: float | None = None,
    positive: Any = None,
    fixed: Sequence[str] = (),
    most: int = 3,
    background: Any = None,
) -> Counterfactual:
    """argmin over rows x' with another answer of (number of columns changed, sum_j |x'_j - x_j| / s_j).

    s_j is the standard deviation of a number by quartiles; another level counts 1. Values are those of the training
    rows: nothing outside their ranges is proposed. Every candidate value of one column and of pairs of columns is
    tried (fewer values where pairs would be more than 10,000), and of more columns where they are at most as many;
    otherwise the change that moves the score most is made, again and again.
    The changed row is given to the model: its answer is the one reported.

    Parameters
    ----------
    model : estimator, TrainResult, str or Path
        Fitted, of mercer or scikit-learn, what `mercer.train` returned, or the path of a model file.
    X : array, sparse matrix, data frame, mapping, Table or Path
        Rows, in any container that the model takes.
    row : int, default 0
        Position of the row, from 0.
    to : label, optional
        The class asked for; any other than that of the row when not given.
    above, below : float, date or str, optional
        The number that the prediction is to pass, of a model that predicts numbers; the date, of one of dates.
    threshold : float, optional
        Probability of `positive` from which a row is called so; that of the model file when not given, otherwise the
        most probable class is the answer.
    positive : label, optional
        The class of the threshold; when not given, the positive class of `mercer.train`, else the second of `classes_`.
    fixed : sequence of str, default ()
        Columns that stay as they are, such as those that nobody can change.
    most : int, default 3
        Most columns that may change.
    background : rows like X, optional
        Rows whose cells are the values that may be taken, such as training rows. Without it: the ranges and levels in
        the column summaries of a model file, else the rows of X.

    Returns
    -------
    counterfactual : Counterfactual
        The cells to change, and the answers; without changes when there is no such row.

    Raises
    ------
    MercerError
        If a row, column or class is not there, or no number is given to pass.

    See Also
    --------
    mercer.explain : What each column adds to the score.

    Examples
    --------
    >>> import mercer
    >>> rows = {"contract": ["month", "year", "month", "year"] * 5, "tenure": [1.0, 30.0, 40.0, 5.0] * 5}
    >>> model = mercer.DecisionTreeClassifier().fit(rows, ["leaves", "stays"] * 10)
    >>> mercer.counterfactual(model, rows, 0, fixed=["tenure"]).changes[0].after
    'year'
    """
    if isinstance(most, bool) or not isinstance(most, int | np.integer) or most < 1:
        raise MercerError(f"most={most!r}: how many columns may change, 1 or more.")
    opened = open_stored(model)
    every = model_rows(opened.model, readable(opened, X))
    place = row_places(int(row), row_count(every))
    others = _thinned(_others(opened, every, background))
    one = take_rows(every, place)
    if model_score(opened.model, one).classes is None:
        if to is not None or threshold is not None:
            raise MercerError("The model predicts numbers: give above= or below=, not to= or threshold=.")
        unit = opened.card.date_unit
        limits = _limit("above", above, unit), _limit("below", below, unit)
        goal = number_goal(opened.model, one, *limits, unit)
    else:
        if above is not None or below is not None:
            raise MercerError("The model predicts classes: give to=, or nothing for any other class.")
        some = take_rows(others, np.arange(min(AGREEMENT_ROWS, row_count(others))))
        goal = class_goal(opened.model, one, some, _rule(opened, threshold, positive), to, opened.card.positive)
    found = find_changes(one, others, goal, set(fixed), int(most))
    return replace(found, row_number=int(place[0]))


def _limit(name: str, given: Limit | None, unit: DateUnit) -> float | None:
    """The number to pass; of a date, that of days."""
    if given is None or isinstance(given, int | float):
        return given
    if not unit:
        raise MercerError(f"{name}={given!r}: the model predicts numbers. Give a number to pass.")
    try:
        return days_of(given)
    except ValueError:
        raise MercerError(f"{name}={given!r} is no date. Write it as 2024-12-31.") from None


def _others(opened: StoredModel, every: Any, background: Any) -> Any:
    """The rows whose cells may be taken: those given, or made up from the summaries of a model file, or of X."""
    if background is not None:
        return model_rows(opened.model, readable(opened, background))
    made = stored_background(opened, MADE_UP)
    return every if made is None else made


def _thinned(rows: Any) -> Any:
    n = row_count(rows)
    return rows if n <= MOST_ROWS else take_rows(rows, np.linspace(0, n - 1, MOST_ROWS).astype(np.int64))


def _rule(opened: StoredModel, threshold: float | None, positive: Any) -> DecisionRule | None:
    """The rule of the model file, with the threshold and the class given in place of its own."""
    rule, classes = opened.card.decision, tuple(str(c) for c in opened.model.classes_)
    if positive is not None and str(positive) not in classes:
        raise MercerError(f"positive={positive!r} is no class of the model: {', '.join(classes[:8])}.")
    if threshold is None and positive is None:
        return rule
    if len(classes) != 2:
        raise MercerError("A threshold and a positive class are for models of two classes. See to=.")
    kept = DecisionRule(classes, classes.index(opened.card.positive or classes[1])) if rule is None else rule
    side = kept.positive if positive is None else classes.index(str(positive))
    level = kept.threshold if threshold is None and side == kept.positive else threshold
    return DecisionRule(classes, side, level, class_weights=kept.class_weights)
