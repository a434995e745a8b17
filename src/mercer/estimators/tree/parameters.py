"""Parameters of decision trees: what each may be, and its entry in the docstrings of both classes."""

from __future__ import annotations

from typing import Literal, TypeAlias

import numpy as np

from mercer.parameters import RANDOM_STATE, Choice, Dictionary, Either, Flag, Number, Parameters

Criterion = Literal["gini", "entropy", "log_loss", "gain_ratio", "error"]
Algorithm = Literal["id3", "c4.5", "cart", None]
Nominal = Literal["subset", "multiway"]
Missing = Literal["fraction", "surrogate"]
Prune = Literal["pessimistic", "cv", None]
RegressionCriterion = Literal["squared_error", "friedman_mse"]
RegressionAlgorithm = Literal["cart", None]
RegressionPrune = Literal["cv", None]

RandomState: TypeAlias = int | np.random.RandomState | None

FRIEDMAN = 'criterion="friedman_mse" is deprecated: it orders tests as "squared_error" does. Use "squared_error".'


class RowCount(Either):
    """A number of rows, or a share of the training rows; in scikit-learn's words."""

    def __init__(self, least: int, *, all_rows: bool) -> None:
        super().__init__(Number(least, whole=True), Number(0, 1, above=True, below=not all_rows, fraction=True))
        self.words = f"an int in the range [{least}, inf) or a float in the range (0.0, 1.0{']' if all_rows else ')'}"

    def __str__(self) -> str:
        return self.words


SHARED_PARAMETERS: Parameters = {
    "max_depth": Number(1, whole=True, optional=True),
    "min_samples_split": RowCount(2, all_rows=True),
    "min_samples_leaf": RowCount(1, all_rows=False),
    "min_weight_fraction_leaf": Number(0, 0.5),
    "random_state": RANDOM_STATE,
    "min_impurity_decrease": Number(0),
    "nominal": Choice(Nominal),
    "missing": Choice(Missing),
    "min_samples_level": Number(0, optional=True),
    "set_penalty": Number(0),
    "oblique": Flag(),
    "ccp_alpha": Number(0),
    "max_bins": Number(0, whole=True),
    "words": Number(1, whole=True),
    "kinds": Dictionary(),
    "n_jobs": Number(whole=True, optional=True),
}

SHARED_DOCS = {
    "nominal": """
        nominal : {"subset", "multiway"}, default "subset"
            Tests of categories: "subset" divides the levels in two sets, "multiway" has a branch per level.""",
    "missing": """
        missing : {"fraction", "surrogate"}, default "fraction"
            Where rows with a missing cell go: in fractions down every branch (C4.5), or down the branch that
            surrogate tests of other columns point to (CART).""",
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
            length of its coefficients. Slower: nodes are split in Python. Needs missing="fraction".""",
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
            The tree as flat arrays.""",
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
