"""Parameters of boosted trees: what each may be, and its entry in the docstrings of both classes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, TypeAlias

import numpy as np

from mercer.parameters import (
    MOST_STEPS,
    RANDOM_STATE,
    VERBOSE,
    Choice,
    Dictionary,
    Either,
    Flag,
    ListOf,
    Number,
    Numbers,
    Parameters,
    Text,
    Texts,
    Unstored,
)
from mercer.solvers.boost.binning import MOST_BINS

Growth = Literal["leaf", "depth"]
EarlyStopping: TypeAlias = bool | Literal["auto"]
LeafRows: TypeAlias = int | Literal["auto"]
Restraint: TypeAlias = float | Literal["auto"]
Scoring: TypeAlias = str | Callable[..., float] | None
RandomState: TypeAlias = int | np.random.RandomState | None
Interactions = Literal["pairwise", "no_interactions", None]

_COLUMNS = ListOf(Number(0, whole=True))


def _is_list(value: Any) -> bool:
    """What `fit` looks at closely, with the columns at hand."""
    return isinstance(value, list | tuple | np.ndarray)


SHARED_PARAMETERS: Parameters = {
    "learning_rate": Number(0, above=True),
    "max_iter": Number(1, MOST_STEPS, whole=True),
    "max_leaf_nodes": Number(2, whole=True, optional=True),
    "max_depth": Number(1, whole=True, optional=True),
    "min_samples_leaf": Either(Number(1, whole=True), Choice(("auto",))),
    "l2_regularization": Either(Number(0), Choice(("auto",))),
    "max_features": Either(Number(0, 1, above=True), Choice(("auto",))),
    "max_bins": Number(2, MOST_BINS, whole=True),
    "categorical_features": Either(
        Choice(("from_dtype", None)), Texts(), Numbers(0), Unstored("an array of bool, int or str", _is_list)
    ),
    "monotonic_cst": Either(
        Numbers(-1, 1, optional=True), Dictionary(optional=False), Unstored("an array of -1, 0 or 1", _is_list)
    ),
    "interaction_cst": Either(
        Choice(Interactions),
        ListOf(_COLUMNS),
        Unstored("sequences of columns", _is_list),
    ),
    "warm_start": Flag(),
    "early_stopping": Either(Flag(), Choice(("auto",))),
    "scoring": Either(Text(optional=True), Unstored("a function", callable)),
    "validation_fraction": Either(Number(0, 1, above=True, below=True), Number(1, whole=True, optional=True)),
    "n_iter_no_change": Number(1, whole=True),
    "tol": Number(0),
    "verbose": VERBOSE,
    "random_state": RANDOM_STATE,
    "growth": Choice(Growth),
    "subsample": Number(0, 1, above=True),
    "keep_best": Flag(),
    "words": Number(1, whole=True),
    "kinds": Dictionary(),
    "n_jobs": Number(whole=True, optional=True),
}

SHARED_DOCS: dict[str, Any] = {
    "learning_rate": """
        learning_rate : float, default 0.1
            What the values of each tree are multiplied by.""",
    "max_iter": """
        max_iter : int, default 100
            Most rounds; each adds a tree, or a tree per class of several. More than memory holds are refused.""",
    "max_leaf_nodes": """
        max_leaf_nodes : int or None, default 31
            Most leaves of a tree; None sets no limit.""",
    "max_depth": """
        max_depth : int or None, default None
            Most tests on the way to a leaf; None sets no limit.""",
    "min_samples_leaf": """
        min_samples_leaf : int or "auto", default 20
            Fewest rows of a leaf. A column of 0 and 1 with fewer ones is never tested, so "auto" takes fewer than 20,
            down to 3, where most columns are such: half as many as the median column has outside its most common
            value; and at most a quarter of the rows. Beyond 40,000 rows it takes 20.""",
    "l2_regularization": """
        l2_regularization : float or "auto", default 0.0
            Added to the hessian of a leaf: values of leaves with few rows shrink. "auto": 5 up to 8,000 rows, else
            1.""",
    "max_features": """
        max_features : float or "auto", default 1.0
            Share of the columns, drawn at random, that is looked at in each node. "auto": 0.3 up to 8,000 rows, else
            0.5.""",
    "max_bins": """
        max_bins : int, default 255
            Most bins of a column, missing cells apart.""",
    "categorical_features": """
        categorical_features : array-like of bool, int or str, "from_dtype" or None, default "from_dtype"
            Columns of categories beside those that are: a mask, places or names; "from_dtype" and None add none.
            In columns of numbers, one below 0 is a missing cell.""",
    "monotonic_cst": """
        monotonic_cst : array-like of int of shape (n_columns,), dict of str to int, or None, default None
            For each column, or by name, 1 where the answer must not fall as its numbers rise, -1 where it must not
            rise, 0 where it is free; None for all free. Of two classes, the score of the second.""",
    "interaction_cst": """
        interaction_cst : {"pairwise", "no_interactions"}, sequence of sequences of int, or None, default None
            Sets of columns, by place, that may meet on a path: all pairs, each alone, or those given, where columns
            in none form a further set. None lets any meet.""",
    "warm_start": """
        warm_start : bool, default False
            Whether `fit` goes on from the rounds that there are; the rows should be the same.""",
    "early_stopping": """
        early_stopping : bool or "auto", default "auto"
            Whether to stop when rounds no longer help on rows set aside; "auto" above 10,000 rows.""",
    "scoring": """
        scoring : str, callable or None, default "loss"
            What rounds are scored by: "loss", a scorer by name or function, or None for accuracy or R^2.""",
    "validation_fraction": """
        validation_fraction : float, int or None, default 0.1
            Share or number of the rows set aside for early stopping; None scores rounds on the training rows.""",
    "n_iter_no_change": """
        n_iter_no_change : int, default 10
            Stop after so many rounds without a better score.""",
    "tol": """
        tol : float, default 1e-7
            By how much a score must be better to count.""",
    "verbose": """
        verbose : int or bool, default 0
            Whether the number of rounds done is printed, once a second.""",
    "growth": """
        growth : {"leaf", "depth"}, default "leaf"
            Which leaf is split next: the one that gains most, or one of the least depth.""",
    "subsample": """
        subsample : float, default 1.0
            Share of the rows, drawn at random for each round, that its trees are grown on.""",
    "keep_best": """
        keep_best : bool, default False
            Whether early stopping drops the rounds after the best one; scikit-learn keeps them.""",
    "words": """
        words : int, default 100
            Most words of each text column that are counted, each count a column.""",
    "forest_": """
        forest_ : Forest
            The trees as one list of nodes.""",
    "binning_": """
        binning_ : Binning
            Edges of the bins of numbers, bins of levels.""",
    "columns_": """
        columns_ : TreeColumns
            The way from a table to the columns that trees test.""",
    "n_iter_": """
        n_iter_ : int
            Rounds in the model.""",
    "n_trees_per_iteration_": """
        n_trees_per_iteration_ : int
            Trees of a round: one, or one per class of several.""",
    "do_early_stopping_": """
        do_early_stopping_ : bool
            Whether rounds were scored.""",
    "train_score_": """
        train_score_ : ndarray of shape (n_rounds + 1,)
            Score on the training rows before the first round and after each; empty without early stopping.""",
    "validation_score_": """
        validation_score_ : ndarray of shape (n_rounds + 1,)
            The same on the rows set aside.""",
    "is_categorical_": """
        is_categorical_ : ndarray of shape (n_features,) or None
            Which columns are categories; None where none is.""",
    "feature_importances_": """
        feature_importances_ : ndarray of shape (n_columns,)
            Share of the total gain that each column of `schema_` brought.""",
}

FIT_DOCS: dict[str, Any] = {
    "X_val": """
        X_val : table-like of shape (n_held_out, n_columns), optional
            Rows on which rounds are scored, in place of a share of X; used with early stopping.""",
    "y_val": """
        y_val : array-like of shape (n_held_out,), optional
            Their target.""",
    "sample_weight_val": """
        sample_weight_val : array-like of shape (n_held_out,), optional
            Their weights; all 1 if not given.""",
}
