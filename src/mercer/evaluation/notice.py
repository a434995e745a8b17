"""A notice: a sentence for the reader of a comparison, with who says it, of which column, and of what kind it is."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Self, TypeVar

from sklearn.exceptions import ConvergenceWarning

from mercer.errors import ColumnWarning, FitWarning

MOST_NAMES = 6  # columns listed by a notice

Result = TypeVar("Result")


@dataclass(frozen=True)
class Notice:
    """What is said; by which learner and of which column, if of any.

    A learner that says something of the same `kind` again, as of another fold, means the same with other figures.
    """

    said: str
    learner: str = ""
    column: str = ""
    kind: type[Warning] | None = None

    @classmethod
    def of(cls, warning: Warning | str, learner: str) -> Self:
        """A warning that was given while a learner was fitted."""
        if isinstance(warning, ColumnWarning):
            return cls(warning.said, learner, warning.column)
        kind = type(warning) if isinstance(warning, FitWarning | ConvergenceWarning) else None
        return cls(str(warning), learner, kind=kind)


def with_notices(learner: str, action: Callable[[], Result]) -> tuple[Result, tuple[Notice, ...]]:
    """The result, and the warnings given on the way, each once, under the learner's name."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        result = action()
    return result, tuple(dict.fromkeys(Notice.of(w.message, learner) for w in caught))


@contextmanager
def columns_told() -> Iterator[None]:
    """No warnings of columns: what is asked again about rows that a run has predicted, was told by that run."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ColumnWarning)
        yield


def merged(notices: Iterable[Notice]) -> list[str]:
    """Alike notices as one sentence, at the place of the first of them: those of other columns, learners or folds.

    Parameters
    ----------
    notices : iterable of Notice
        What a learner says again of a kind counts once, as it was said last.

    Returns
    -------
    list of str
        "Columns 'a', 'b': what", "Learner, other learner: what", and the others as they are.

    Examples
    --------
    >>> from mercer.evaluation.notice import Notice, merged
    >>> merged([Notice("gaps.", "Tree", "a"), Notice("gaps.", "Tree", "b"), Notice("2 rows left out.")])
    ["Tree: Columns 'a', 'b': gaps.", '2 rows left out.']
    """
    last = {(one.learner, one.kind) if one.kind else one: one for one in notices}
    by_columns: dict[tuple[str, str, bool], list[str]] = {}
    for one in last.values():
        by_columns.setdefault((one.learner, one.said, bool(one.column)), []).append(repr(one.column))
    by_learners: dict[str, list[str]] = {}
    for (learner, said, of_columns), names in by_columns.items():
        what = f"Column{'s' * (len(names) > 1)} {listed(names)}: {said}" if of_columns else said
        by_learners.setdefault(what, []).append(learner)
    return [f"{', '.join(who)}: {what}" if who[0] else what for what, who in by_learners.items()]


def listed(names: Sequence[str]) -> str:
    """'a, b', or 'a, b, c, d, e, f and 3 more'."""
    more = f" and {len(names) - MOST_NAMES:,} more" if len(names) > MOST_NAMES else ""
    return ", ".join(names[:MOST_NAMES]) + more
