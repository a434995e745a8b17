"""Descriptions that kernels and distances share."""

from __future__ import annotations

KERNELS: dict[str, str] = {
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
    "on_text": """
        on : selector, default text()
            The columns compared, of text: names, or a selector such as `text()`.""",
    "normalised": """
        normalised : bool, default True
            Whether values are divided by sqrt(k(a, a) k(b, b)), so that every text has similarity 1 with itself.""",
    "text_missing": """
        missing : {"level", "ignore"}, default "level"
            "level" treats a missing cell as a text of its own kind, like other missing cells and like no text; "ignore"
            as no evidence: similarity 0, even with itself.""",
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
    "alpha": """
        alpha : float, default 1.0
            Size of a dummy, at least 0: the weight of categories against numbers.""",
    "column_scale": """
        scale : {"none", "std", "robust", "range"}, default "none"
            What numbers are divided by: nothing, the standard deviation of their column in fit, the same with cells
            far from all others cut off ("robust"), or the range.""",
    "column_weights": """
        w : array-like of shape (n_columns,) or None, default None
            Weights w_j of at least 0, in the order of the columns of the table; None weighs all by 1. With p = inf a
            column counts or, at 0, does not.""",
    "column_sum_": """
        column_sum_ : ColumnSum
            What each column adds to the sum, as compiled code takes it.""",
}
