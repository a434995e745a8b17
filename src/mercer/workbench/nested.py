"""A search for parameters, scored on rows that it never saw."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.model_selection import GridSearchCV, KFold, StratifiedKFold

from mercer.errors import MercerError, did_you_mean
from mercer.evaluation.assessment.cross_validation import cross_validate, splits_of
from mercer.evaluation.assessment.display import as_html, as_text
from mercer.evaluation.assessment.evaluation import Evaluation, evaluate_folds
from mercer.evaluation.result import plain
from mercer.table import Task
from mercer.workbench.arguments import checks_arguments
from mercer.workbench.evaluate import check_level, labels_for
from mercer.workbench.row_groups import row_groups
from mercer.workbench.rows import assessed_model, rows_and_target


@dataclass(frozen=True)
class NestedEvaluation:
    """A search scored on rows it never saw, as `mercer.nested_cv` returns it.

    Parameters
    ----------
    evaluation : Evaluation
        Of the models chosen, on the test rows of the outer folds.
    chosen : tuple of dict
        Parameters chosen in each outer fold.
    scoring : str
        What the search maximised.
    inner_scores : tuple of float
        Score by which they were chosen, the best of many: too good on average.

    Examples
    --------
    >>> import mercer
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> grid = {"max_depth": [1, 3]}
    >>> mercer.nested_cv(mercer.DecisionTreeClassifier(), grid, X, y).chosen[0]
    {'max_depth': 3}
    """

    evaluation: Evaluation
    chosen: tuple[dict[str, Any], ...]
    scoring: str
    inner_scores: tuple[float, ...]

    def to_dict(self) -> dict[str, Any]:
        """Plain data, ready for JSON.

        Returns
        -------
        dict
            Every field; parameters as text.
        """
        chosen = [{name: str(value) for name, value in one.items()} for one in self.chosen]
        kept = plain((self.evaluation, self.inner_scores))
        return {"evaluation": kept[0], "chosen": chosen, "scoring": self.scoring, "inner_scores": kept[1]}

    def __str__(self) -> str:
        return as_text(*self._shown())

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return as_html(*self._shown())

    def _shown(self) -> tuple[Any, ...]:
        distinct = {str(one): self.chosen.count(one) for one in self.chosen}
        found = "; ".join(f"{settings} in {n} of {len(self.chosen)} folds" for settings, n in distinct.items())
        inner = f"The search itself saw {self.scoring} {np.mean(self.inner_scores):.3f}, the best of its candidates."
        return self.evaluation.title, self.evaluation.grids(), (*self.evaluation.notes, f"Chosen: {found}.", inner)


@checks_arguments
def nested_cv(
    estimator: Any,
    grid: Mapping[str, Sequence[Any]] | Sequence[Mapping[str, Sequence[Any]]],
    X: Any,
    y: Any,
    *,
    cv: Any = 5,
    inner: int = 5,
    scoring: Any = None,
    groups: Any = None,
    positive: Any = None,
    level: float = 0.95,
    random_state: int = 0,
    n_jobs: int | None = None,
) -> NestedEvaluation:
    """Every metric of a search for parameters, by nested cross-validation.

    In each outer fold the parameters are searched by cross-validation of its training rows alone, the best is fitted to
    them and scored on the test rows: what is chosen never sees the rows that it is scored on (Varma and Simon 2006).

    Parameters
    ----------
    estimator : estimator
        mercer's, scikit-learn's or a pipeline.
    grid : dict of str to sequence, or a list of them
        Values of each parameter to try, as in scikit-learn's `GridSearchCV`.
    X : array, sparse matrix, data frame, mapping or Table of shape (n_rows, n_columns)
        Rows.
    y : array of shape (n_rows,) or str
        Their target, or the name of the column of X that holds it.
    cv : int, splitter or iterable, default 5
        Outer folds, as in `mercer.evaluate`.
    inner : int, default 5
        Inner folds, of the training rows of an outer fold.
    scoring : str or callable, optional
        What the search maximises: a scorer of scikit-learn; None for "roc_auc" of two classes, "accuracy" of several,
        "r2" of numbers.
    groups : array of shape (n_rows,), optional
        Rows of a group go together into outer folds; when None, copies of a row are groups.
    positive : label, optional
        The positive class of two; the rarer when None.
    level : float, default 0.95
        Confidence level of the intervals.
    random_state : int, default 0
        Seed of the inner folds and of what is drawn for intervals.
    n_jobs : int, optional
        Processes of the search.

    Returns
    -------
    nested : NestedEvaluation
        The evaluation, what was chosen in each fold, and the score that the search itself saw.

    Raises
    ------
    MercerError
        The estimator has no such parameter, or the rows cannot be split.

    Examples
    --------
    >>> import mercer
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> found = mercer.nested_cv(mercer.KNeighborsClassifier(), {"n_neighbors": [1, 5, 15]}, X, y)
    >>> found.evaluation["accuracy"].value > 0.9, len(found.chosen)
    (True, 5)
    """
    check_level(level)
    assessed = assessed_model(estimator)
    _expect_parameters(assessed.name, estimator, grid)
    X, y = rows_and_target(assessed, X, y)
    labels = labels_for([assessed], X, y, positive, fitted=False)
    if not isinstance(inner, int) or inner < 2:
        raise MercerError(f"inner={inner!r}: the inner cross-validation takes 2 folds or more.")
    classes = labels.task is Task.CLASSIFICATION
    if scoring is None:
        scoring = "r2" if not classes else "roc_auc" if len(labels.names) == 2 else "accuracy"
    splitter = (StratifiedKFold if classes else KFold)(inner, shuffle=True, random_state=random_state)
    search = GridSearchCV(estimator, grid, scoring=scoring, cv=splitter, n_jobs=n_jobs, error_score="raise")
    folds = cross_validate(
        search, X, y, labels, splits_of(cv, X, y, labels, groups, row_groups(groups, X, labels.values)), None
    )
    return NestedEvaluation(
        evaluate_folds(folds, f"{assessed.name}, searched", level, random_state),
        tuple(fold.model.best_params_ for fold in folds),
        scoring if isinstance(scoring, str) else getattr(scoring, "__name__", str(scoring)),
        tuple(float(fold.model.best_score_) for fold in folds),
    )


def _expect_parameters(name: str, estimator: Any, grid: Any) -> None:
    known = estimator.get_params()
    for one in [grid] if isinstance(grid, Mapping) else grid:
        for parameter in one:
            if parameter not in known:
                raise MercerError(f"grid: {name} has no parameter {parameter!r}. {did_you_mean(parameter, known)}")
