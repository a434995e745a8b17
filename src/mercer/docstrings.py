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
            The kind of a column by its name: "numeric", "binary", "category", "text", "skip" (left out), or the levels
            of an ordinal column in their order. Otherwise numbers of a data frame are numeric, and the kinds of its
            text, categorical, boolean and object columns are inferred.""",
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
    # distances
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
    # searches and support vector machines
    "scoring": """
        scoring : str, callable or None, default None
            A scorer of scikit-learn by name, or a function of (estimator, X, y) such as `make_scorer` makes; None for
            accuracy or R^2. Scorers of probabilities see decisions calibrated on the other folds.""",
    "race": """
        race : bool, default False
            Whether points that are behind by three standard errors after two or more folds are left out.""",
    "gap": """
        gap : float, default 0.005
            How exactly points that cannot win are solved, relative to the sum of costs (in regression times the
            standard deviation of the target); 0 solves every point exactly. Race and gap are for SVC and SVR: the
            other machines are solved exactly.""",
    "kernel": """
        kernel : {"rbf", "linear", "poly", "sigmoid", "mixed", "precomputed"}, Kernel or callable, default "rbf"
            A name, a mercer kernel such as RBF(0.5) + Lin(), or a function of two arrays. A name stands for the
            kernel on the numbers as they are, missing ones as the mean; in a table with categories, numbers are
            standardised and levels compared too, with "rbf" also the words of texts (`mercer.kernels.as_kernel`).
            "mixed" is "rbf" with numbers always standardised, cells far from all others cut off.""",
    "degree": """
        degree : int, default 3
            Degree of "poly".""",
    "gamma": """
        gamma : {"scale", "auto"} or float, default "scale"
            Inverse width of "rbf", factor of the dot product in "poly" and "sigmoid": above 0, "scale"
            (1 / (columns * variance), the variance of rows by their weights) or "auto" (1 / columns).""",
    "gamma_cv": """
        gamma : {"scale", "auto", "cv"} or float, default "scale"
            Inverse width of "rbf", factor of the dot product in "poly" and "sigmoid": above 0, "scale" (1 /
            (columns * variance), the variance of rows by their weights) or "auto" (1 / columns). "cv" searches
            it by cross-validation; for a kernel given as an object it searches a factor of every gamma in it.""",
    "coef0": """
        coef0 : float, default 0.0
            Constant of "poly" and "sigmoid".""",
    "probability": """
        probability : {"sigmoid", "isotonic", "deprecated"} or bool, default "deprecated"
            How decisions cross-validated on 5 folds become probabilities; by default there are none. True is "sigmoid"
            and False none; scikit-learn deprecated these two values, and they warn of it here as well.""",
    "shrinking": """
        shrinking : bool, default True
            No effect: rows that stay at their bounds are always set aside while the solver runs.""",
    "fold_random_state": """
        random_state : int, RandomState or None, default None
            Seed of the folds of `probability`; None deals the same folds in every fit.""",
    "dual": """
        dual : "auto" or bool, default "auto"
            Which problem LIBLINEAR solves. No effect here, where either gives the same answer; a value for which
            LIBLINEAR has no solver is an error, as in scikit-learn.""",
    "multi_class": """
        multi_class : {"ovo", "ovr", "ecoc"}, default "ovo"
            Several classes by a binary problem for each pair, for each class against the rest, or for each column of
            an error-correcting code (`code_book_`, 1.8 log2(k) of k classes), whose row of least hinge loss is the
            class.""",
    "svm_code_book_": """
        code_book_ : ndarray of shape (n_classes, n_problems)
            With multi_class="ecoc": in a column, the classes with +1 are told from those with -1.""",
    "decision_function_shape": """
        decision_function_shape : {"ovr", "ovo"}, default "ovr"
            Whether `decision_function` has a column for each class, or for each pair.""",
    "break_ties": """
        break_ties : bool, default False
            Whether equal votes are decided by decision values instead of by the order of the classes.""",
    "svm_tol": """
        tol : float, default 0.001
            Largest violation of the optimality conditions left.""",
    "svm_max_iter": """
        max_iter : int, default -1
            Steps after which the solver stops, with a usable model; -1 for 10 million, or 100 a row if that is
            more.""",
    "time_limit": """
        time_limit : float or None, default None
            Seconds after which the solver stops, with a usable model; None for no limit.""",
    "warm_start": """
        warm_start : bool, default False
            Whether fit starts at the solution of the last one when the rows are the same: after a limit, after
            Ctrl-C, and after a change of C or gamma.""",
    "transductive": """
        transductive : bool, default False
            Whether rows of X whose y is missing (None or NaN) tell the kernel, too, how frequent levels are and
            how wide numbers spread; they are not learned from. Only for rows that may be known before
            predicting.""",
    "cache_size": """
        cache_size : float or None, default 200
            Megabytes for kernel rows, at most; rows that are cheap to compute are not all kept. None for a
            quarter of the machine's memory.""",
    "precision": """
        precision : {"auto", "single", "double"}, default "auto"
            Of kernel values; "auto" is double up to 5,000 rows.""",
    "grid": """
        grid : Grid or None, default None
            What "cv" tries and how the points are compared; None for `mercer.Grid()`.""",
    "unlabelled": """
        unlabelled : table or None, default None
            Rows without a target, which add to what the kernel learns, such as frequencies.""",
    "searched": """
        names : tuple of str
            Names of the parameters that fit searches.""",
    "problem": """
        problem : TunableProblem
            What a search needs (`mercer.select.search.TunableProblem`).""",
    "class_weight_": """
        class_weight_ : ndarray of shape (n_classes,)
            Weight of each class.""",
    "svm_gamma_": """
        gamma_ : float or str
            As given, or as found by "cv".""",
    "tuning_": """
        tuning_ : Tuning
            Every point that was tried, where a parameter is "cv".""",
    "svm_attributes": """
        kernel_ : Kernel
            The kernel, fitted.
        support_ : ndarray of shape (n_support,)
            Numbers of the training rows that predictions compare with, the support vectors.
        support_vectors_ : ndarray or sparse matrix of shape (n_support, n_columns)
            Those rows, when the table is numbers.
        support_rows_ : Table
            Those rows, as a table of any kind.
        n_support_ : ndarray of int
            Number of support vectors, by class where there are classes.
        dual_coef_ : ndarray or sparse matrix of shape (n_coef, n_support)
            Their coefficients, in the layout of scikit-learn; sparse where the rows were.
        intercept_ : ndarray of shape (n_problems,)
            The constant of each decision.
        coef_ : ndarray or sparse matrix of shape (n_problems, n_columns)
            Weights of the columns, for a linear kernel; sparse where the rows were.
        shape_fit_ : tuple of int
            Rows and columns of the training table.
        transductive_ : bool
            Whether unlabelled rows were used.
        n_iter_ : int or ndarray of shape (n_problems,)
            Steps of the solver.
        duality_gap_ : float
            Primal minus dual value, of the problem for which it is largest.
        primal_ : float
            Value of the primal problem, summed over the binary problems.
        dual_ : float
            Value of the dual problem, likewise.
        fit_status_ : int
            0 when the solver converged, 1 when a limit stopped it.""",
    "prob_": """
        probA_ : ndarray of shape (n_problems,)
            A in P = 1 / (1 + exp(A d + B)), the probability of the first class of each pair at LIBSVM's decision d;
            empty without `probability` or with "isotonic". Deprecated in scikit-learn, and warns as there.
        probB_ : ndarray of shape (n_problems,)
            B in the same.""",
    "margin_": """
        margin_ : ndarray of shape (n_problems,)
            Distance 2 / |w| between the margins.""",
    "n_bounded_": """
        n_bounded_ : int
            Support vectors at their bound: inside the margin, or outside the tube.""",
    "calibrators_": """
        calibrators_ : list of Calibrator
            What makes a probability of the decision of each binary problem, with `probability`.""",
    "tube_": """
        tube_ : float
            Half the width of the tube, in units of the target.""",
    "intercept_scaling": """
        intercept_scaling : float, default 1
            The value of the column that carries b, above 0: the larger, the less b is penalised, as in LIBLINEAR.""",
    "linear_random_state": """
        random_state : int, RandomState or None, default None
            No effect: rows are visited in the same order in every fit.""",
    "linear_tol": """
        tol : float, default 0.0001
            Largest violation of the optimality conditions left.""",
    "linear_max_iter": """
        max_iter : int, default 1000
            Passes over the rows after which the solver stops (of squared errors on few columns, steps of Newton's
            method).""",
    "linear_grid": """
        grid : Grid or None, default None
            What "cv" tries and how the points are compared, by its C, cv, scoring, rows and random_state: every
            point is solved exactly, whatever its race and gap. None for `mercer.Grid()`.""",
    "linear_attributes": """
        C_ : float
            The cost, as given or as found by "cv".
        tuning_ : Tuning
            Every point that was tried, where C is "cv".
        intercept_ : ndarray of shape (n_problems,), or 0.0
            The constant of each decision; 0.0 without an intercept.
        encoder_ : NumericEncoding
            How rows become numbers.
        n_iter_ : int
            Passes or steps of the solver, of the problem that took most.
        duality_gap_ : float
            Primal minus dual value, of the problem for which it is largest.""",
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
