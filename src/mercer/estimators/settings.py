"""The parameters of each learner in `mercer train`: (seed, n_jobs) -> constructor parameters."""

from __future__ import annotations

from typing import Any

from mercer.distances import Euclidean
from mercer.kernels import MultipleKernel
from mercer.select.grid import Grid


def threads(seed: int, n_jobs: int | None) -> dict[str, Any]:
    return {"n_jobs": n_jobs}


def logistic(seed: int, n_jobs: int | None) -> dict[str, Any]:
    return {"max_iter": 1000, "scale": True}


def defaults(seed: int, n_jobs: int | None) -> dict[str, Any]:
    return {}


def svc(seed: int, n_jobs: int | None) -> dict[str, Any]:
    return {**tuned(seed, n_jobs, search_rows=2000), "probability": "sigmoid"}


def svr(seed: int, n_jobs: int | None) -> dict[str, Any]:
    return {**tuned(seed, n_jobs, search_rows=1000), "relative": True}


def tuned(seed: int, n_jobs: int | None, search_rows: int) -> dict[str, Any]:
    """Few enough rows that the search takes no longer than the fit that follows."""
    grid = Grid(rows=search_rows, race=True, random_state=seed)
    found = {"kernel": "mixed", "C": "cv", "gamma": "cv", "cache_size": None}
    return {**found, "grid": grid, "n_jobs": n_jobs}


def kernel_classes(seed: int, n_jobs: int | None) -> dict[str, Any]:
    return {**tuned(seed, n_jobs, search_rows=1000), "probability": "sigmoid"}


def kernel_ridge(seed: int, n_jobs: int | None) -> dict[str, Any]:
    found = tuned(seed, n_jobs, search_rows=1000)
    return {**{name: value for name, value in found.items() if name != "C"}, "alpha": "cv"}


def kernel_ridge_classes(seed: int, n_jobs: int | None) -> dict[str, Any]:
    return {**kernel_ridge(seed, n_jobs), "probability": "sigmoid"}


def kernel_machine(seed: int, n_jobs: int | None) -> dict[str, Any]:
    return tuned(seed, n_jobs, search_rows=1000)


def relevance(seed: int, n_jobs: int | None) -> dict[str, Any]:
    found = tuned(seed, n_jobs, search_rows=500)
    return {name: value for name, value in found.items() if name != "C"}


def column_weights(seed: int, n_jobs: int | None) -> dict[str, Any]:
    return {"kernel": MultipleKernel("columns"), "n_jobs": n_jobs}


def measure_weights(seed: int, n_jobs: int | None) -> dict[str, Any]:
    return {"kernel": MultipleKernel("measures"), "n_jobs": n_jobs}


def classification_tree(seed: int, n_jobs: int | None) -> dict[str, Any]:
    return {**regression_tree(seed, n_jobs), "criterion": "entropy"}


def regression_tree(seed: int, n_jobs: int | None) -> dict[str, Any]:
    return {"min_samples_leaf": 5, "prune": "cv", "n_jobs": n_jobs}


def neighbours(seed: int, n_jobs: int | None) -> dict[str, Any]:
    # numbers standardised; two levels that differ are as far apart as two unrelated numbers
    return {"n_neighbors": "cv", "metric": Euclidean(scale="robust"), "n_jobs": n_jobs}


def boosting(seed: int, n_jobs: int | None) -> dict[str, Any]:
    # Chosen on telco_churn, german_credit, titanic, ames_housing, abalone, wine_quality and mammography in four folds:
    # against scikit-learn's defaults AUC .844 for .836, .774 for .761, .951 for .929, R^2 .917 for .912, .549 for .537;
    # worse on titanic (.846 for .849) and on wine (accuracy .638 for .653). "auto" for 1 and 0.5 then gained on german
    # .007, on titanic .003, on wine .004 and on abalone .006 of AUC or R^2; up to how many rows, adult and
    # california_housing decided.
    size = {"learning_rate": 0.05, "max_iter": 200, "max_leaf_nodes": 15}
    rows = {"min_samples_leaf": "auto", "l2_regularization": "auto", "max_features": "auto", "early_stopping": False}
    return {**size, **rows, "random_state": seed, "n_jobs": n_jobs}


def classification_forest(seed: int, n_jobs: int | None) -> dict[str, Any]:
    # Chosen on telco_churn, german_credit, titanic and wine_quality (red) in three folds, 200 trees: against leaves of
    # 5 by Gini's index AUC .842 for .845, .797 for .791, .873 for .863, accuracy .596 for .588.
    return {"min_samples_leaf": 3, "criterion": "entropy", "random_state": seed, "n_jobs": n_jobs}


def classification_extra_trees(seed: int, n_jobs: int | None) -> dict[str, Any]:
    # On the same: against leaves of 3, half of the columns: .833 for .829, .789 for .778, .868 for .876, .595 for .599.
    return {"min_samples_leaf": 2, "random_state": seed, "n_jobs": n_jobs}


def regression_forest(seed: int, n_jobs: int | None) -> dict[str, Any]:
    # Chosen on ames_housing and abalone: against leaves of 5 R^2 .898 for .894, .550 for .549.
    return {"min_samples_leaf": 2, "max_features": 0.33, "random_state": seed, "n_jobs": n_jobs}


def regression_extra_trees(seed: int, n_jobs: int | None) -> dict[str, Any]:
    return {**regression_forest(seed, n_jobs), "max_features": 0.5}


def perceptron(seed: int, n_jobs: int | None) -> dict[str, Any]:
    # more than 10 passes change the AUC by 0.002
    passes = {"max_iter": 10, "tol": None, "random_state": seed, "n_jobs": n_jobs}
    return {**passes, "average": True, "scale": True, "probability": True}
