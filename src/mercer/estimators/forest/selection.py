"""Choosing columns by what a random forest makes of them: an encoder, and the same on all rows (Yao 4.2)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from mercer.arrays import Floats
from mercer.docstrings import shares_docs
from mercer.encode.base import Encoder
from mercer.encode.chain import chain_step
from mercer.errors import BadTable, BadTarget
from mercer.estimators.forest.random_forest import RandomForestClassifier, RandomForestRegressor
from mercer.parameters import Choice, Number, Parameters
from mercer.state import Reader, State
from mercer.table import Cause, Columns, LeftOut, Schema, Selector, Table
from mercer.table.assemble import with_left_out
from mercer.table.target import class_codes, one_column

SelectionTask = Literal["auto", "classification", "regression"]
_MAX_CLASSES = 20  # whole numbers with more different values are a regression target


@dataclass(frozen=True)
class ForestImportance:
    """Of each column: mean decrease in impurity (sums to 1), mean decrease in accuracy, and its standard error."""

    impurity: Floats
    accuracy: Floats
    error: Floats


@dataclass(frozen=True)
class FeatureSelection:
    """Columns in the top k by either of two measures of a random forest.

    Parameters
    ----------
    columns : tuple of str
        The columns looked at, in the order of the table.
    impurity : ndarray of shape (n_columns,)
        Mean decrease in impurity; sums to 1.
    accuracy : ndarray of shape (n_columns,)
        Mean decrease in accuracy, or increase of the squared error, on out-of-bag rows when the column is shuffled.
    error : ndarray of shape (n_columns,)
        Standard error of `accuracy`.
    k : int
        How many columns each measure proposes.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer import FeatureSelection
    >>> found = FeatureSelection(("a", "b"), np.array([0.9, 0.1]), np.array([0.2, 0.0]), np.zeros(2), k=1)
    >>> found.selected
    ('a',)
    """

    columns: tuple[str, ...]
    impurity: Floats
    accuracy: Floats
    error: Floats
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


@chain_step
@shares_docs()
class SelectByForest(Encoder):
    """Keeps column j when I_j is among the k largest, for I the mean decrease in impurity or in accuracy.

    Both are taken from one random forest fitted to the table at hand, and either is enough (Yao 4.2): inside a
    pipeline, the columns are chosen anew in every training fold, without the test fold. `fit_transform` is `fit` then
    `transform`: the choice has seen the targets of the rows that pass. The forest is mercer's: missing cells go where
    they help, categories are split as they are, and words of a text are shuffled together. The columns pass unchanged.

    Parameters
    ----------
    k : int, default 40
        How many columns each measure proposes; between k and 2 k stay.
    n_estimators : int, default 200
        Trees; more make the ranking steadier.
    task : {"auto", "classification", "regression"}, default "auto"
        What y is; "auto" takes numbers with fractions or more than 20 different values as regression.
    words : int, default 50
        How many of the commonest words of a text column are counted.
    random_state : int or None, default 0
        Seed of the forest, or None for another one each time.
    {n_jobs}
    on : str, list of str, selector or None, default None
        The columns to choose among, by name or kind; None for all. The others stay.

    Attributes
    ----------
    selection_ : FeatureSelection
        Both measures of the columns, and the choice.
    importance_ : ForestImportance
        Both measures of the columns.
    {names_}
    {schema_out_}
    {schema_}
    {n_features_in_}
    {feature_names_in_}

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
        "task": Choice(SelectionTask),
        "words": Number(1, 10_000, whole=True),
        "random_state": Number(0, 2**32 - 1, whole=True, optional=True),
        "n_jobs": Number(whole=True, optional=True),
        "on": Columns(),
    }
    selects = True

    def __init__(
        self,
        k: int = 40,
        *,
        n_estimators: int = 200,
        task: SelectionTask = "auto",
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
        target, by_class = _target(y, len(table), self.task)
        self.importance_ = ForestImportance(*(np.zeros(0) for _ in range(3)))
        if self.names_:
            given: dict[str, Any] = {"random_state": self.random_state, "words": self.words, "n_jobs": self._jobs}
            forest: Any = RandomForestRegressor(self.n_estimators, max_features=1 / 3, **given)
            if by_class:
                forest = RandomForestClassifier(self.n_estimators, **given)
            self.importance_ = _importance(forest, table.select(self.names_), target)

    @property
    def selection_(self) -> FeatureSelection:
        """Both measures of the columns looked at, and the choice."""
        return self._selection(self.names_)

    def _selection(self, names: tuple[str, ...]) -> FeatureSelection:
        found = self.importance_
        return FeatureSelection(names, found.impurity, found.accuracy, found.error, int(self.k))

    def get_support(self, indices: bool = False) -> NDArray[Any]:
        """Which columns of X are kept.

        Parameters
        ----------
        indices : bool, default False
            Whether positions are returned rather than a mask.

        Returns
        -------
        support : ndarray of shape (n_columns,) or (n_kept,)
            A mask, or positions.
        """
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


def _importance(forest: Any, table: Table, target: NDArray[Any]) -> ForestImportance:
    """Both measures of one forest; the decrease in accuracy is 0 where no tree has two rows out of bag."""
    forest.fit(table, target)
    impurity: Floats = forest.feature_importances_
    try:
        found = forest.permutation_importances(table, target).importances
    except BadTable:
        return ForestImportance(impurity, np.zeros_like(impurity), np.zeros_like(impurity))
    n_trees = found.shape[1]
    error = found.std(axis=1, ddof=1) / np.sqrt(n_trees) if n_trees > 1 else np.zeros_like(impurity)
    return ForestImportance(impurity, found.mean(axis=1), error)


def _target(y: Any, n_rows: int, task: str) -> tuple[NDArray[Any], bool]:
    """The target as codes or numbers, and whether it is classes."""
    if y is None:
        raise BadTarget("SelectByForest requires y to be passed, but the target y is None.")
    y = one_column(y, n_rows)
    numbers = y.dtype.kind in "iuf"
    if task == "auto":
        fractions = numbers and (y != np.floor(y)).any()
        task = "regression" if fractions or (numbers and len(np.unique(y)) > _MAX_CLASSES) else "classification"
    if task == "regression" and not numbers:
        raise BadTarget(f"SelectByForest(task='regression') needs a target of numbers; found {str(y[0])!r}.")
    target = class_codes(y, n_rows)[1] if task == "classification" else y.astype(np.float64)
    if len(target) > 1 and (target == target[0]).all():
        raise BadTarget(f"The target is constant: every cell is {str(y[0])!r}, so no column can matter.")
    return target, task == "classification"


@shares_docs()
def select_features(
    X: Any,
    y: Any,
    k: int = 40,
    *,
    n_estimators: int = 200,
    task: SelectionTask = "auto",
    words: int = 50,
    random_state: int | None = 0,
    n_jobs: int | None = None,
) -> FeatureSelection:
    """Columns in the top k by mean decrease in impurity or by mean decrease in accuracy, of one forest (Yao 4.2).

    Chosen on all rows, as here, the columns have seen the rows of every later test fold: to score a model on them, use
    SelectByForest, which does the same inside a pipeline.

    Parameters
    ----------
    {X}
    y : array-like of shape (n_rows,)
        The target: classes or numbers.
    k : int, default 40
        How many columns each measure proposes; between k and 2 k stay.
    n_estimators : int, default 200
        Trees; more make the ranking steadier.
    task : {"auto", "classification", "regression"}, default "auto"
        What y is; "auto" takes numbers with fractions or more than 20 different values as regression.
    words : int, default 50
        How many of the commonest words of a text column are counted.
    random_state : int or None, default 0
        Seed of the forest, or None for another one each time.
    {n_jobs}

    Returns
    -------
    selection : FeatureSelection
        Both measures of every column, and the choice.

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
