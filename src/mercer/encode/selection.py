"""Choosing columns by what a random forest makes of them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from mercer.arrays import Floats
from mercer.encode.base import Encoder
from mercer.encode.forest import ForestImportance, forest_importance, forest_view
from mercer.errors import BadTarget
from mercer.parameters import Choice, Number, Parameters
from mercer.state import Reader, State
from mercer.table import Cause, LeftOut, Schema, Selector, Table
from mercer.table.assemble import with_left_out
from mercer.table.target import class_codes, one_column

FEW_VALUES = 20  # whole numbers with more different values are numbers to predict, not classes


@dataclass(frozen=True)
class FeatureSelection:
    """What was chosen, and why: both measures of every column looked at, in the order of the table."""

    columns: tuple[str, ...]
    impurity: Floats  # mean decrease in impurity; sums to 1
    accuracy: Floats  # mean decrease in accuracy on rows that a tree had not seen; of the squared error for numbers
    error: Floats  # standard error of `accuracy`
    k: int

    @property
    def by_impurity(self) -> tuple[str, ...]:
        """The k columns of the largest decrease in impurity, largest first; equal ones as in the table."""
        return self._top(self.impurity)

    @property
    def by_accuracy(self) -> tuple[str, ...]:
        """The k columns of the largest decrease in accuracy, largest first; equal ones as in the table."""
        return self._top(self.accuracy)

    @property
    def selected(self) -> tuple[str, ...]:
        """Columns in either top k, in the order of the table."""
        either = {*self.by_impurity, *self.by_accuracy}
        return tuple(c for c in self.columns if c in either)

    def _top(self, measure: Floats) -> tuple[str, ...]:
        return tuple(self.columns[j] for j in np.argsort(-measure, kind="stable")[: self.k])

    def __str__(self) -> str:
        width = max(6, *(len(c) for c in self.columns))
        lines = [f"{'column':<{width}}  accuracy    error  impurity"]
        chosen = set(self.selected)
        for j in np.argsort(-self.accuracy, kind="stable"):
            name, mark = self.columns[j], "  selected" if self.columns[j] in chosen else ""
            numbers = f"{self.accuracy[j]:>10.4g} {self.error[j]:>8.2g} {self.impurity[j]:>9.4f}"
            lines.append(f"{name:<{width}}{numbers}{mark}")
        return "\n".join(lines)


class SelectByForest(Encoder):
    """Keeps column j when I_j is among the k largest, for I the mean decrease in impurity or in accuracy.

    Both are taken from one random forest fitted to the table at hand, and either is enough (Yao 4.2): inside a
    pipeline, the columns are chosen anew in every training fold, and the test fold has no say. Cells may be missing;
    categories are one column each, however many levels they have. The columns pass unchanged.

    Parameters
    ----------
    k : how many columns each measure proposes; between k and 2 k stay
    n_estimators : trees; more make the ranking steadier
    task : "classification", "regression", or "auto": numbers with fractions or more than 20 different values are
        regression
    words : how many of the commonest words of a text column are counted
    random_state : seed, or None for another forest each time
    n_jobs : threads; None for all. Results do not depend on it.
    on : columns to choose among, all by default; the others stay

    Attributes
    ----------
    selection_ : both measures and the choice, as a FeatureSelection

    Examples
    --------
    >>> import mercer
    >>> rows = {"noise": [3, 1, 4, 1, 5, 9, 2, 6] * 5, "size": [1, 2, 3, 4, 5, 6, 7, 8] * 5}
    >>> chosen = mercer.SelectByForest(1, n_estimators=20).fit(rows, ["s", "s", "s", "s", "l", "l", "l", "l"] * 5)
    >>> chosen.get_feature_names_out().tolist()
    ['size']
    """

    parameters: ClassVar[Parameters] = {
        "k": Number(1, 2**53, whole=True),
        "n_estimators": Number(1, 100_000, whole=True),
        "task": Choice(("auto", "classification", "regression")),
        "words": Number(1, 10_000, whole=True),
        "random_state": Number(0, 2**32 - 1, whole=True, optional=True),
    }

    def __init__(
        self,
        k: int = 40,
        *,
        n_estimators: int = 200,
        task: str = "auto",
        words: int = 50,
        random_state: int | None = 0,
        n_jobs: int | None = None,
        on: Selector = None,
    ) -> None:
        self.k = k
        self.n_estimators = n_estimators
        self.task = task
        self.words = words
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.on = on

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        return tags

    def _learn(self, table: Table, y: Any) -> None:
        target, classes = _target(y, len(table), self.task)
        self.importance_ = ForestImportance(*(np.zeros(0) for _ in range(3)))
        if self.names_:
            self.importance_ = forest_importance(
                forest_view(table.select(self.names_), self.words), target, classes=classes,
                n_trees=self.n_estimators, seed=self.random_state, n_jobs=self._jobs,
            )  # fmt: skip

    @property
    def selection_(self) -> FeatureSelection:
        """Both measures of the columns looked at, and the choice."""
        return self._selection(self.names_)

    def _selection(self, names: tuple[str, ...]) -> FeatureSelection:
        found = self.importance_
        return FeatureSelection(names, found.impurity, found.accuracy, found.error, int(self.k))

    def get_support(self, indices: bool = False) -> NDArray[Any]:
        """Which input columns are kept: a mask, or their places when `indices`."""
        names = self.get_feature_names_out().tolist()
        mask = np.array([n in names for n in self._input_names()])
        return np.flatnonzero(mask) if indices else mask

    def _schema_out(self, schema: Schema, names: tuple[str, ...]) -> Schema:
        kept = self._selection(names).selected
        reason = f"not among the {self.k} most important columns of a forest by either measure"
        return with_left_out(schema, [LeftOut(n, Cause.UNIMPORTANT, reason) for n in names if n not in kept])

    def _apply(self, table: Table) -> Table:
        return replace(table.select(self.schema_out_.names), schema=self.schema_out_)

    def _fitted_state(self) -> State:
        found = self.importance_
        return {"impurity": found.impurity, "accuracy": found.accuracy, "error": found.error}

    def _restore_fitted(self, state: Reader) -> None:
        n = len(self.names_)
        self.importance_ = ForestImportance(
            state.array("impurity", "float64", (n,), low=0.0),
            state.array("accuracy", "float64", (n,)),
            state.array("error", "float64", (n,), low=0.0),
        )


def _target(y: Any, n_rows: int, task: str) -> tuple[NDArray[Any], bool]:
    """The target as codes or numbers, and whether it is classes."""
    if y is None:
        raise BadTarget("SelectByForest requires y to be passed, but the target y is None.")
    y = one_column(y, n_rows)
    numbers = y.dtype.kind in "iuf"
    if task == "auto":
        fractions = numbers and (y != np.floor(y)).any()
        task = "regression" if fractions or (numbers and len(np.unique(y)) > FEW_VALUES) else "classification"
    if task == "regression" and not numbers:
        raise BadTarget(f"SelectByForest(task='regression') needs a target of numbers; found {str(y[0])!r}.")
    target = class_codes(y, n_rows)[1] if task == "classification" else y.astype(np.float64)
    if len(target) > 1 and (target == target[0]).all():
        raise BadTarget(f"The target is constant: every cell is {str(y[0])!r}, so no column can matter.")
    return target, task == "classification"


def select_features(
    X: Any,
    y: Any,
    k: int = 40,
    *,
    n_estimators: int = 200,
    task: str = "auto",
    words: int = 50,
    random_state: int | None = 0,
    n_jobs: int | None = None,
) -> FeatureSelection:
    """Columns in the top k by mean decrease in impurity or by mean decrease in accuracy, of one forest (Yao 4.2).

    Parameters are those of SelectByForest, which does the same inside a pipeline. Chosen on all rows, as here, the
    columns have seen the rows of every later test fold: to score a model on them, use SelectByForest.

    Examples
    --------
    >>> import mercer
    >>> rows = {"noise": [3, 1, 4, 1, 5, 9, 2, 6] * 5, "size": [1, 2, 3, 4, 5, 6, 7, 8] * 5}
    >>> found = mercer.select_features(rows, [10.5, 20, 30, 40, 50, 60, 70, 80] * 5, 1, n_estimators=20)
    >>> found.selected, found.by_impurity, found.by_accuracy
    (('size',), ('size',), ('size',))
    """
    chosen = SelectByForest(
        k, n_estimators=n_estimators, task=task, words=words, random_state=random_state, n_jobs=n_jobs
    )
    return chosen.fit(X, y).selection_
