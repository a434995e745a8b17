"""What the constructor parameters of machines of least squares may be, and what their docstrings say of them."""

from __future__ import annotations

from typing import Literal, TypeAlias

from mercer.estimators.common.weights.class_weight import CLASS_WEIGHT
from mercer.estimators.kernel.machine import KERNEL_PARAMETERS
from mercer.parameters import MOST_STEPS, Choice, Number, Parameters
from mercer.select.grid import GRID

Solver: TypeAlias = Literal["auto", "cholesky", "cg"]
Probability: TypeAlias = Literal["sigmoid", "isotonic"] | None
_SHARED = ("kernel", "degree", "coef0", "cache_size", "precision", "kinds", "missing_indicator", "n_jobs", "time_limit")
LEAST_SQUARES_PARAMETERS: Parameters = {
    **{name: KERNEL_PARAMETERS[name] for name in _SHARED},
    "solver": Choice(Solver),
    "tol": Number(0, above=True),
    "max_iter": Number(-1, MOST_STEPS, whole=True),
    "grid": GRID,
}
LEAST_SQUARES_DOCS = {
    "ridge_kernel": """
        kernel : str, Kernel or callable, default "rbf"
            "rbf", "linear", "poly", "sigmoid", "laplacian", "cosine", "chi2", "mixed", "precomputed", a mercer kernel
            such as RBF(0.5) + Lin(), or a function of two arrays. A name stands for the kernel on the numbers as they
            are, missing ones as the mean; in a table with categories, numbers are standardised and levels compared too
            (`mercer.kernels.as_kernel`). "mixed" is "rbf" with numbers always standardised.""",
    "solver": """
        solver : {"auto", "cholesky", "cg"}, default "auto"
            How the linear system is solved: by a factorisation of the whole kernel matrix, or by preconditioned
            conjugate gradients, which never hold it; "auto" factorises what fits into `cache_size`.""",
    "cg_tol": """
        tol : float, default 1e-08
            Relative residual at which conjugate gradients stop.""",
    "cg_max_iter": """
        max_iter : int, default -1
            Iterations after which conjugate gradients stop, with a usable model; -1 for ten a row.""",
    "ridge_cache_size": """
        cache_size : float or None, default None
            Megabytes for the kernel matrix, at most; None for a quarter of the machine's memory.""",
    "ridge_precision": """
        precision : {"auto", "single", "double"}, default "double"
            Of kernel values in predictions and conjugate gradients; "auto" is double up to 5,000 rows. The matrix that
            is factorised is always double.""",
    "loo_grid": """
        grid : Grid or None, default None
            What "cv" tries, by its penalties, gamma, scoring, rows and random_state; None for `mercer.Grid()`. From
            2,000 rows on, rows are left out by the large eigenvalues of the kernel matrix alone where a sample of rows
            shows that this is right to 1 % at the penalty chosen and that no smaller penalty is better; then
            `tuning_.exact` is False of smaller ones. Otherwise the matrix is decomposed in full.""",
    "ridge_attributes": """
        kernel_ : Kernel
            The kernel, fitted.
        support_ : ndarray of shape (n_support,)
            Numbers of the training rows that predictions compare with: those of positive weight.
        support_rows_ : Table
            Those rows.
        residual_ : float
            |(K + N) c + b 1 - y| / |y| of the target for which it is largest: the certificate of the solution.
        n_iter_ : int
            Iterations of conjugate gradients; 1 for a factorisation.
        shape_fit_ : tuple of int
            Rows and columns of the training table.""",
}
CLASSIFIER_PARAMETERS: Parameters = {
    **LEAST_SQUARES_PARAMETERS,
    "gamma": Number(0, above=True, words=("scale", "auto", "cv")),
    "class_weight": CLASS_WEIGHT,
    "probability": Choice(("sigmoid", "isotonic", None)),
}
CLASSIFIER_DOCS = {
    "loo_probability": """
        probability : {"sigmoid", "isotonic"} or None, default None
            How decisions on rows, each left out in closed form, become probabilities; None for none.""",
    "loo_calibrators_": """
        calibrators_ : list of Calibrator
            What makes a probability of each decision, with `probability`.""",
}
