"""Parameter descriptions that several classes share, written once and put into each docstring.

In the docstring of what is decorated with `@shares_docs()`, a line `{n_jobs}` by itself becomes the entry of that name;
`@shares_docs(C="...")` adds entries of its own, or others in their place.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from inspect import cleandoc
from typing import Any, TypeVar

Documented = TypeVar("Documented", bound=Callable[..., Any])

SHARED: dict[str, str] = {
    "n_jobs": """
        n_jobs : int or None, default None
            Threads; None uses every core. Results do not depend on it.""",
    "kinds": """
        kinds : dict of str to str or list of str, or None, default None
            The kind of a column by its name, in place of what is inferred from a data frame: "numeric", "binary",
            "category", "text", "skip" (left out), or the levels of an ordinal column in their order.""",
    "sample_weight": """
        sample_weight : array-like of shape (n_rows,) or None, default None
            Weight of each row, at least 0; None weighs all alike.""",
    "random_state": """
        random_state : int, RandomState or None, default None
            Seed of what is drawn at random; None draws afresh in every fit.""",
    "X": """
        X : array-like, sparse matrix, data frame, dict of columns or Table, of shape (n_rows, n_columns)
            The rows: numbers, categories, text and missing cells as they are.""",
    "y_class": """
        y : array-like of shape (n_rows,)
            The class of each row: texts, numbers or truth values.""",
    "y_number": """
        y : array-like of shape (n_rows,)
            The number to predict for each row.""",
    "class_weight": """
        class_weight : dict, "balanced" or None, default None
            Weight of each class, times that of the row; "balanced" makes the classes weigh alike in sum.""",
    "likelihoods": """
        likelihoods : str, Likelihood, dict of str to str or Likelihood, or None, default None
            By column name or kind, or one for every numeric column: "gaussian", "density", "binned", "categorical",
            "bernoulli", "multinomial", "complement", "words", or an object such as Gaussian(variance="pooled"). Where
            none is given: numbers gaussian (counts in a sparse matrix multinomial), levels categorical, text words.""",
    "smoothing": """
        smoothing : {"laplace", "none"}, float, Alpha, MEstimate or None, default "laplace"
            How counts become probabilities: "laplace" adds 1 to each count, a number alpha adds alpha, "none" or None
            nothing; Alpha(...) and MEstimate(...) say it in full.""",
    "fit_intercept": """
        fit_intercept : bool, default True
            Whether there is an intercept.""",
    "terms": """
        terms : sequence of str or None, default None
            Further columns: "age^2", "log(age)" (also log1p, sqrt, exp), and products "age*job" of two columns.""",
    "baseline": """
        baseline : {"first", "common"}, default "first"
            The level of each categorical column that the others are compared with: its first, or its commonest.""",
    "level": """
        level : float, default 0.95
            Of the confidence intervals.""",
    "self": """
        self : estimator
            The same object, fitted.""",
    "classes": """
        classes : ndarray of shape (n_rows,)
            The class predicted for each row, of the type of the labels.""",
    "numbers": """
        numbers : ndarray of shape (n_rows,)
            The number predicted for each row.""",
    "probabilities": """
        probabilities : ndarray of shape (n_rows, n_classes)
            The probability of each class, columns in the order of `classes_`.""",
    "classes_": """
        classes_ : ndarray of shape (n_classes,)
            The classes in increasing order.""",
    "term_names_": """
        term_names_ : list of str
            What each coefficient belongs to: a column, '<column>=<level>', '<column>:<word>', or a further term.""",
    "baselines_": """
        baselines_ : dict of str to str
            The level that each categorical column's coefficients are contrasts with.""",
    "filled_": """
        filled_ : dict of str to str
            What stands for the missing cells of the columns that had some.""",
    "schema_": """
        schema_ : Schema
            What the columns are: name, kind, levels and the reason for the kind.""",
    "n_features_in_": """
        n_features_in_ : int
            Number of columns of X.""",
    "feature_names_in_": """
        feature_names_in_ : ndarray of shape (n_features_in_,)
            Names of the columns of X, where it has names.""",
    # kernels
    "rows_a": """
        a : array-like, sparse matrix, data frame, dict of columns or Table, of shape (n_a, n_columns)
            The first rows, with the columns of fit.""",
    "rows_b": """
        b : array-like, sparse matrix, data frame, dict of columns or Table, of shape (n_b, n_columns)
            The second rows, with the columns of fit.""",
    "gram_dtype": """
        dtype : numpy.float32, numpy.float64 or None, default None
            Precision; None takes float32 when the numbers of `a` are, and float64 otherwise.""",
    "on_numeric": """
        on : selector, default numeric()
            The columns compared, numeric: names, or a selector such as `numeric()`.""",
    "on_categorical": """
        on : selector, default categorical()
            The columns compared, of levels: names, or a selector such as `categorical()`.""",
    "kernel_missing": """
        missing : {"level", "ignore"}, default "level"
            "level" treats a missing cell as a level like any other; "ignore" as no evidence: the column adds nothing to
            the similarity, not even between two missing cells.""",
    "kernel_gamma": """
        gamma : {"scale", "auto"} or float, default "scale"
            Above 0; "scale" is 1 / (n_columns * variance of all training cells), "auto" is 1 / n_columns.""",
    "kernel_part": """
        kernel : Kernel
            The kernel inside.""",
    "kernel_pair": """
        k1 : Kernel
            The first kernel.
        k2 : Kernel
            The second kernel.""",
    "kernel_pair_": """
        k1_ : Kernel
            The first kernel, fitted.
        k2_ : Kernel
            The second kernel, fitted.""",
    "kernel_part_": """
        kernel_ : Kernel
            The kernel inside, fitted.""",
    "gamma_": """
        gamma_ : float
            The value that `gamma` stands for on the training rows.""",
    "centre_": """
        centre_ : ndarray of shape (n_columns,)
            What is subtracted from the rows before distances are computed.""",
    "counts_": """
        counts_ : list of ndarray
            For each column the number of rows of each level, of levels not seen in fit (0) and of missing cells.""",
    "compared_schema_": """
        schema_ : Schema
            The columns compared, as they were in fit.""",
    # distances
    "alpha": """
        alpha : float, default 1.0
            Size of a dummy, at least 0: the weight of categories against numbers.""",
    "column_scale": """
        scale : {"none", "std", "range"}, default "none"
            What numbers are divided by: nothing, the standard deviation or the range of their column in fit.""",
    "column_weights": """
        w : array-like of shape (n_columns,) or None, default None
            Weights w_j of at least 0, in the order of the columns of the table; None weighs all by 1. With p = inf a
            column counts or, at 0, does not.""",
    "column_sum_": """
        column_sum_ : ColumnSum
            What each column adds to the sum, as compiled code takes it.""",
}
_ENTRY = re.compile(r"^( *)\{(\w+)\}$", re.MULTILINE)


def shares_docs(**own: str) -> Callable[[Documented], Documented]:
    """A decorator that fills `{name}` lines of a docstring with shared entries, or with those given here."""
    entries = SHARED | own

    def fill(match: re.Match[str]) -> str:
        indent, name = match.groups()
        return "\n".join(indent + line if line else line for line in cleandoc(entries[name]).split("\n"))

    def decorate(documented: Documented) -> Documented:
        documented.__doc__ = _ENTRY.sub(fill, documented.__doc__ or "")
        return documented

    return decorate


def inherit_docs(cls: type) -> None:
    """Give each public method of a class that has no docstring the one of the method it overrides."""
    for name, method in vars(cls).items():
        if name.startswith("_") or not callable(method) or method.__doc__:
            continue
        overridden = (getattr(base, name, None) for base in cls.__mro__[1:])
        method.__doc__ = next((found.__doc__ for found in overridden if found is not None), None)
