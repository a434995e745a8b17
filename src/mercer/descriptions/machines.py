"""Descriptions that searches and support vector machines share."""

from __future__ import annotations

MACHINES: dict[str, str] = {
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
            How decisions cross-validated on 5 folds become probabilities; by default there are none. Where all those
            decisions are on one side, the more probable of two classes is predicted. True is "sigmoid" with the classes
            of LIBSVM, and False none; scikit-learn deprecated these two values, and they warn of it here as well.""",
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
    "approximation": """
        approximation : {"nystroem", "features", "cells"} or None, default None
            None solves the problem itself. For many rows, "nystroem" solves it for the kernel of low rank that `rank`
            landmark rows span, "features" for random features of the kernel (`mercer.RandomFeatures` says of which),
            both by Newton's method on features, until the duality gap is 0.1 % of the value; "cells" divides the rows
            into cells by the kernel's distance, solves each exactly, and answers a row by its cell; between classes
            without an offset where the kernel falls to 0 with distance (RBF), so that rows far from all support vectors
            are answered by the nearest. A search by "cv" then compares points within cells, and decisions between
            classes are means over the machines of the three best points. `dual_coef_` has a row for each binary
            problem, and a column for each landmark, feature or support vector of a machine of a cell; of random
            features there are no support vectors, of cells `intercept_` is 0: each has its own.""",
    "rank": """
        rank : int or None, default None
            Landmarks or random features, or rows of a cell, about. None for 1,000, and 2,000 rows of a cell.""",
    "polish": """
        polish : bool, default False
            Whether the problem itself is solved after that on features, starting from its solution; no effect on
            cells.""",
    "approximation_error_": """
        approximation_error_ : float
            How far the approximate kernel is from the kernel: |K - K'| / |K| over pairs of 300 training rows; NaN for
            cells, whose kernel is exact. Only with an `approximation`.""",
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
            Largest violation of the optimality conditions left; of errors that are not squared, on many rows of few
            columns, 2000 times the duality gap left, as a share of the objective.""",
    "linear_max_iter": """
        max_iter : int, default 1000
            Passes over the rows after which the solver stops; on few columns, steps of Newton's method (for errors that
            are not squared, if max_iter is 300 or more).""",
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
    "interval": """
        level : float, default 0.9
            Above 0 and below 1. q is the quantile of a normal target, or with `conformal` that of the training rows
            left out.

        Returns
        -------
        interval : ndarray of shape (n_rows, 2), or (n_rows, n_targets, 2) of a target with columns
            Lower and upper end for each row.""",
}
