"""Parameters of decision trees: what each may be, and its entry in the docstrings of both classes."""

from __future__ import annotations

from typing import Literal, TypeAlias

import numpy as np

from mercer.parameters import RANDOM_STATE, Choice, Dictionary, Either, Flag, Number, Numbers, Parameters

Criterion = Literal["gini", "entropy", "log_loss", "gain_ratio", "error"]
Algorithm = Literal["id3", "c4.5", "cart", None]
Nominal = Literal["subset", "multiway"]
Missing = Literal["learned", "fraction", "surrogate"]
Splitter = Literal["best", "random"]
Prune = Literal["pessimistic", "cv", None]
RegressionCriterion = Literal["squared_error", "friedman_mse", "absolute_error", "poisson"]
RegressionAlgorithm = Literal["cart", None]
RegressionPrune = Literal["cv", None]

RandomState: TypeAlias = int | np.random.RandomState | None
MaxFeatures: TypeAlias = float | Literal["sqrt", "log2"] | None

FRIEDMAN = 'criterion="friedman_mse" is deprecated: it orders tests as "squared_error" does. Use "squared_error".'


class RowCount(Either):
    """A number of rows, or a share of the training rows; in scikit-learn's words."""

    def __init__(self, least: int, *, all_rows: bool) -> None:
        super().__init__(Number(least, whole=True), Number(0, 1, above=True, below=not all_rows, fraction=True))
        self.words = f"an int in the range [{least}, inf) or a float in the range (0.0, 1.0{']' if all_rows else ')'}"

    def __str__(self) -> str:
        return self.words


SHARED_PARAMETERS: Parameters = {
    "splitter": Choice(Splitter),
    "max_depth": Number(1, whole=True, optional=True),
    "min_samples_split": RowCount(2, all_rows=True),
    "min_samples_leaf": RowCount(1, all_rows=False),
    "min_weight_fraction_leaf": Number(0, 0.5),
    "max_features": Either(
        Number(1, whole=True), Number(0, 1, above=True, fraction=True), Choice(("sqrt", "log2", None))
    ),
    "random_state": RANDOM_STATE,
    "max_leaf_nodes": Number(2, whole=True, optional=True),
    "min_impurity_decrease": Number(0),
    "nominal": Choice(Nominal),
    "missing": Choice(Missing),
    "min_samples_level": Number(0, optional=True),
    "set_penalty": Number(0),
    "oblique": Flag(),
    "ccp_alpha": Number(0),
    "monotonic_cst": Numbers(optional=True),
    "max_bins": Number(0, whole=True),
    "words": Number(1, whole=True),
    "kinds": Dictionary(),
    "n_jobs": Number(whole=True, optional=True),
}

SHARED_DOCS = {
    "classes_of_outputs": """
        classes_ : ndarray of shape (n_classes,), or list of these
            The classes in increasing order; a list has those of each output.
        n_classes_ : int, or ndarray or list of length n_outputs
            How many there are.""",
    "nominal": """
        nominal : {"subset", "multiway"}, default "subset"
            Tests of categories: "subset" divides the levels in two sets, "multiway" has a branch per level.""",
    "missing": """
        missing : {"learned", "fraction", "surrogate"}, default "learned"
            Where rows with a missing cell go: down the branch where those of the training rows lowered impurity most,
            "missing or not" being a test too (without any in training, to the branch with most rows); in fractions down
            every branch (C4.5); or down the branch that surrogate tests of other columns point to (CART).""",
    "splitter": """
        splitter : {"best", "random"}, default "best"
            The best test of each column, or one drawn at random: a threshold between the least and the greatest value,
            a side for each level.""",
    "max_features": """
        max_features : int, float, "sqrt", "log2" or None, default None
            How many columns, drawn at random, are looked at in each node, or their share; None for all. Columns that
            are constant there count, but looking goes on until one is not.""",
    "random_state": """
        random_state : int, RandomState or None, default None
            Seed of what is drawn: columns, random tests and, of columns whose tests lower impurity alike, which is
            tested. None draws columns and random tests afresh in every fit, and of columns alike takes the first.""",
    "max_leaf_nodes": """
        max_leaf_nodes : int or None, default None
            Most leaves: the node whose test lowers impurity most is split next; None sets no limit.""",
    "monotonic_cst": """
        monotonic_cst : array-like of shape (n_columns,) or None, default None
            For each column of X 1 where the answer must not fall as its numbers rise, -1 where it must not rise, 0
            where it is free; None for all free. Of two classes, the probability of the second; of one number.""",
    "max_depth": """
        max_depth : int or None, default None
            Most tests on the way to a leaf; None sets no limit.""",
    "check_input": """
        check_input : bool, default True
            No effect: input is always checked.""",
    "min_samples_split": """
        min_samples_split : int or float, default 2
            Least rows of a node that is split; a float up to 1.0 is a share of the training rows. A row counts as one,
            whatever its weight.""",
    "min_samples_leaf": """
        min_samples_leaf : int or float, default 1
            Least rows of each branch; a float below 1.0 is a share of the training rows. A row counts as one,
            whatever its weight.""",
    "min_weight_fraction_leaf": """
        min_weight_fraction_leaf : float, default 0.0
            Least weight of each branch, as a share of the weight of all rows, up to 0.5.""",
    "min_impurity_decrease": """
        min_impurity_decrease : float, default 0.0
            Least decrease of impurity by a test, times the share of the weight that is at its node.""",
    "min_samples_level": """
        min_samples_level : float or None, default None
            With nominal="subset", levels of fewer rows (below 1: of a smaller share) are joined to one, and with it
            levels that were never seen; None uses min_samples_leaf.""",
    "set_penalty": """
        set_penalty : float, default 1.0
            Two sets of n levels are compared with other tests by gain - set_penalty (n - 1) bits / rows: the more
            pairs of sets there are, the better the best one fits by chance. 0 compares gains.""",
    "oblique": """
        oblique : bool, default False
            Whether sums of several numeric columns are cut too, a.x <= t, where that gains more than the description
            length of its coefficients. Slower: nodes are split in Python.""",
    "ccp_alpha": """
        ccp_alpha : float, default 0.0
            Penalty per leaf of cost-complexity pruning, when `prune` is not "cv".""",
    "max_bins": """
        max_bins : int, default 0
            0 tries every threshold between two values; otherwise numbers are first joined in so many bins, at least
            two.""",
    "words": """
        words : int, default 100
            How many of the most frequent words of a text column are counted.""",
    "tree_": """
        tree_ : Tree
            The tree as flat arrays, also under scikit-learn's names: `children_left`, `feature`, `threshold`, `value`,
            ...""",
    "max_features_": """
        max_features_ : int
            How many columns are looked at in each node.""",
    "n_outputs_": """
        n_outputs_ : int
            Columns of y.""",
    "y_classes": """
        y : array-like of shape (n_rows,) or (n_rows, n_outputs)
            The class of each row: texts, numbers or truth values; a column per output.""",
    "y_numbers": """
        y : array-like of shape (n_rows,) or (n_rows, n_outputs)
            The number to predict for each row; a column per output.""",
    "alpha_": """
        alpha_ : float
            The penalty per leaf that the tree was pruned with.""",
    "missing_": """
        missing_ : str
            Where rows with a missing cell go: `missing`, or what `algorithm` says.""",
    "columns_": """
        columns_ : TreeColumns
            How a table becomes the columns that are tested: words counted, rare levels joined, sums of columns.""",
    "combinations_": """
        combinations_ : ndarray of shape (n_combinations, n_numeric_columns)
            Coefficients of the sums that are cut by oblique tests.""",
    "feature_importances_": """
        feature_importances_ : ndarray of shape (n_columns,)
            Share of the total decrease of impurity that each column of `schema_` brought.""",
}
