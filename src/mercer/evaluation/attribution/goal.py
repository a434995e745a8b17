"""Which answer is asked for, as a number that is above 0 where a row has it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from mercer.arrays import Floats, Longs
from mercer.errors import MercerError, did_you_mean
from mercer.evaluation.attribution.score import ModelScore, decision_score, model_score
from mercer.select.decisions import DecisionRule
from mercer.table.formats.containers import row_count
from mercer.table.kinds.parts import DateUnit, date_text


@dataclass(frozen=True)
class Goal:
    """Another answer than that of a row.

    Attributes
    ----------
    margin : callable
        Rows to numbers (n_rows,), above 0 where the answer is the one asked for.
    answer : callable
        Rows to the answers of the model, as texts.
    shown : callable
        Rows to the number that is reported beside the answer.
    what : str
        What that number is.
    asked : str
        The answer asked for, in words.
    by_labels : Goal or None
        The same by the labels that the model predicts, where scores decide that agreed with these on the rows tried.
    """

    margin: Callable[[Any], Floats]
    answer: Callable[[Any], list[str]]
    shown: Callable[[Any], Floats]
    what: str
    asked: str
    by_labels: Goal | None = None


def number_goal(model: Any, row: Any, above: float | None, below: float | None, unit: DateUnit = "") -> Goal:
    """A prediction above or below a number, or after or before a date."""
    score = model_score(model, row)
    if (above is None) == (below is None):
        given = "" if above is None else ", not both"
        raise MercerError(f"A model that predicts numbers needs a number to pass: give above= or below={given}.")
    limit = float(above if above is not None else below)  # type: ignore[arg-type]
    sign, word = (1.0, "above") if above is not None else (-1.0, "below")
    asked = f"{word} {_number_text(limit, unit)}"
    limit += sign * 0.5 * (unit == "D")  # predictions are rounded to whole days: the next one is asked for

    def predicted(rows: Any) -> Floats:
        return score.of_rows(rows)[:, 0]

    now = predicted(row)[0]
    if sign * (now - limit) > 0:
        raise MercerError(f"The prediction of the row is {_number_text(now, unit)}, {asked} already.")
    what = "prediction" if score.unit == "prediction" else "score"
    return Goal(
        lambda rows: sign * (predicted(rows) - limit),
        lambda rows: [_number_text(v, unit) for v in predicted(rows)],
        predicted,
        what,
        asked,
    )


def _number_text(value: float, unit: DateUnit) -> str:
    return date_text(value, unit) if unit else f"{value:.6g}"


def class_goal(
    model: Any, row: Any, others: Any, rule: DecisionRule | None = None, to: Any = None, about: str = ""
) -> Goal:
    """Another class than that of the row, or the class `to`; by decisions, which have no plateaus, where they agree.

    What is reported is `about` one of two classes, where the rule does not say of which.
    """
    score = model_score(model, row)
    assert score.classes is not None
    names = [str(c) for c in score.classes]
    if to is not None and str(to) not in names:
        raise MercerError(f"to={to!r} is no class of the model. {did_you_mean(str(to), names)}")
    predicted = None
    if rule is not None and (rule.threshold is not None or rule.costs is not None or rule.class_weights is not None):
        votes = _by_rule(score, rule)
    else:
        deciding = [s for s in (decision_score(model, row), score) if s is not None]
        agreeing = [s for s in deciding if _agrees(model, s, row) and _agrees(model, s, others)]
        predicted = _votes(model, score)
        votes = agreeing[0].of_rows if agreeing else predicted
    now = int(votes(row)[0].argmax())
    if to is not None and names.index(str(to)) == now:
        raise MercerError(f"The answer for the row is {str(to)!r} already.")
    asked = None if to is None else names.index(str(to))
    shown, what = _reported(score, names, rule, now, about)

    def goal(by: Callable[[Any], Floats], by_labels: Goal | None) -> Goal:
        return Goal(
            lambda rows: _beyond(by(rows), now, asked),
            lambda rows: [names[k] for k in by(rows).argmax(axis=1)],
            shown,
            what,
            f"not {names[now]!r}" if asked is None else repr(names[asked]),
            by_labels,
        )

    return goal(votes, None if predicted is None or votes is predicted else goal(predicted, None))


def _beyond(votes: Floats, now: int, asked: int | None) -> Floats:
    """The score of the best class asked for minus that of the best other; the first of `classes_` wins a tie."""
    wanted = np.arange(votes.shape[1]) != now if asked is None else np.arange(votes.shape[1]) == asked
    gap: Floats = votes[:, wanted].max(axis=1) - votes[:, ~wanted].max(axis=1)
    won = wanted[votes.argmax(axis=1)]
    return np.where(won, np.maximum(gap, 1e-300), np.minimum(gap, 0.0))


def _by_rule(score: ModelScore, rule: DecisionRule) -> Callable[[Any], Floats]:
    """By least expected cost, or by the threshold; the `top` rows of a table by the threshold that had so many."""
    if score.unit != "probability":
        raise MercerError("A threshold or costs need a model that gives probabilities.")
    place, least = rule.positive, rule.threshold

    def votes(rows: Any) -> Floats:
        shares = rule.probabilities(score.of_rows(rows))
        if place is None or least is None:
            return shares if rule.costs is None else -rule.costs.expected(shares, None)
        over = shares[:, place] - least
        sides = np.column_stack([-over, over])
        sides[over == 0] = 0.0, 1e-300  # from the threshold on
        return sides if place == 1 else sides[:, ::-1]

    return votes


def _votes(model: Any, score: ModelScore) -> Callable[[Any], Floats]:
    """1 for the class predicted; the scores decide nothing, but tell how near the others are."""
    classes = score.classes
    return lambda rows: (np.asarray(model.predict(rows))[:, None] == classes) + 1e-6 * np.tanh(score.of_rows(rows))


def _agrees(model: Any, score: ModelScore, rows: Any) -> bool:
    """Whether the class of the best score is the one predicted."""
    assert score.classes is not None
    best: Longs = score.of_rows(rows).argmax(axis=1) if row_count(rows) else np.empty(0, dtype=np.int64)
    return row_count(rows) == 0 or bool((score.classes[best] == np.asarray(model.predict(rows))).all())


def _reported(
    score: ModelScore, names: list[str], rule: DecisionRule | None, now: int, about: str
) -> tuple[Callable[[Any], Floats], str]:
    """The number beside the answer: of the positive class, of the second of two, else of the row's class."""
    place = now if len(names) > 2 else names.index(about) if about in names else len(names) - 1
    place = place if rule is None or rule.positive is None else rule.positive

    def shown(rows: Any) -> Floats:
        found = score.of_rows(rows)
        weighted = rule is not None and score.unit == "probability"
        return rule.probabilities(found)[:, place] if rule is not None and weighted else found[:, place]

    return shown, f"{score.unit} of {names[place]!r}"
