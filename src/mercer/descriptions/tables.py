"""Descriptions of rows, columns, targets, weights and answers, which most estimators share."""

from __future__ import annotations

TABLES: dict[str, str] = {
    "n_jobs": """
        n_jobs : int or None, default None
            Threads; None uses every core. Results do not depend on it.""",
    "kinds": """
        kinds : dict of str to str or list of str, or None, default None
            The kind of a column by its name: "numeric", "binary", "category", "text", "skip" (left out), or the levels
            of an ordinal column in their order. Otherwise numbers of a data frame are numeric, and the kinds of its
            text, categorical, boolean and object columns are inferred; booleans beside numbers alone are 0 and 1 to
            classes, kernels and metrics of scikit-learn's names.""",
    "missing_indicator": """
        missing_indicator : {"auto", True, False}, default "auto"
            Which columns with missing cells get a column '<name> is missing' beside them: with "auto" those whose gaps
            go with the target (p < 5 % over all of them together, and at least 10 missing and 10 known cells), with
            True all that have gaps in fitting, with False none. Sparse tables get none.""",
    "sample_weight": """
        sample_weight : array-like of shape (n_rows,) or None, default None
            Weight of each row, at least 0; None weighs all alike.""",
    "sample_weight_cost": """
        sample_weight : array-like of shape (n_rows,) or None, default None
            Factor on the cost C of each row; None weighs all alike. A row of weight 2 is two rows, one of weight 0 or
            less is left out, and a factor on all weights is one on C, as in scikit-learn (NuSVC, which has no C, is
            free of it).""",
    "sample_weight_counts": """
        sample_weight : array-like of shape (n_rows,) or None, default None
            Weight of each row, at least 0; None weighs all alike. A common factor changes nothing: whole multiples of
            the smallest positive weight are numbers of rows, other weights are scaled to a mean of 1.""",
    "random_state": """
        random_state : int, RandomState or None, default None
            Seed of what is drawn at random; None draws afresh in every fit.""",
    "random_state_unused": """
        random_state : int, RandomState or None, default None
            No effect: nothing is drawn at random.""",
    "verbose": """
        verbose : bool or int, default False
            No effect: nothing is printed.""",
    "verbose_0": """
        verbose : int or bool, default 0
            No effect: nothing is printed.""",
    "X": """
        X : array-like, sparse matrix, data frame, dict of columns, list of dicts or Table, of shape (n_rows, n_columns)
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
            "codes", "bernoulli", "multinomial", "complement", "words", or an object such as Gaussian(ddof=0). Where
            none is given: numbers gaussian (counts in a sparse matrix multinomial), levels categorical, text words.""",
    "smoothing": """
        smoothing : {"laplace", "none"}, float, Alpha, MEstimate or None, default "laplace"
            How counts become probabilities: "laplace" adds 1 to each count, a number alpha adds alpha, "none" or None
            nothing; Alpha(...) and MEstimate(...) say it in full.""",
    "column_smoothing": """
        smoothing : {"laplace", "none"}, float, Alpha, MEstimate, ColumnAlpha or None, default "laplace"
            How counts become probabilities: "laplace" adds 1 to each count, a number alpha adds alpha, "none" or None
            nothing; Alpha(...) and MEstimate(...) say it in full, ColumnAlpha(...) with a number for each column.""",
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
    "encoded_numeric": """
        on : str, list of str, selector or None, default None
            The numeric columns to change, by name or as `numeric()`; None for all.""",
    "encoded_categorical": """
        on : str, list of str, selector or None, default None
            The categorical columns to change, by name or as `categorical()`; None for all.""",
    "self_kept": """
        self : estimator
            The same object.""",
    "encoded": """
        encoded : Table, ndarray, csr_array or data frame
            A Table for a Table or data frame, a CSR array where the numbers of a data frame become sparse, an array for
            an array; a data frame if `set_output` asks for one.""",
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
    "names_": """
        names_ : tuple of str
            The columns that `on` selects.""",
    "schema_out_": """
        schema_out_ : Schema
            What the columns become.""",
    "schema_": """
        schema_ : Schema
            What the columns are: name, kind, levels and the reason for the kind.""",
    "n_features_in_": """
        n_features_in_ : int
            Number of columns of X.""",
    "feature_names_in_": """
        feature_names_in_ : ndarray of shape (n_features_in_,)
            Names of the columns of X, where it has names.""",
}
