"""What RVR and RVC share: basis functions within a memory budget, and the relevance vectors with their posterior.

A machine is f(x) = sum_j m_j k(x, x_j) + b, m_j ~ N(0, 1 / alpha_j) with a precision for each row. `train` solves it on
the training rows, `keep` sets what predictions need: among it `_posteriors`, a solution for each function f, whose
`used` are places among the relevance vectors.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from mercer._core.threads import at_most
from mercer.arrays import Floats, Ints, Longs
from mercer.errors import BadFile
from mercer.estimators.common.weights.sample_weight import row_counts
from mercer.estimators.kernel.machine import KERNEL_PARAMETERS, KernelMachine
from mercer.estimators.kernel.rows import budget_bytes, refuse_infinite_sums, whole_matrix
from mercer.estimators.kernel.training_rows import TrainingRows
from mercer.estimators.relevance.search import Solve, relevance_threads
from mercer.kernels import Precomputed
from mercer.kernels.base import refuse_overflow
from mercer.parameters import MOST_STEPS, Flag, Number, Parameters
from mercer.select.copies import identical_rows
from mercer.select.grid import GRID
from mercer.solvers.relevance.basis import Basis, BlockBasis, HeldBasis
from mercer.solvers.relevance.regression import RelevanceSolution
from mercer.state import LARGEST_SQUARE, Reader, State
from mercer.table import Table

_SHARED = ("kernel", "degree", "coef0", "cache_size", "kinds", "missing_indicator", "n_jobs")
_CHUNK = 1000  # rows compared with the relevance vectors at a time
RELEVANCE_PARAMETERS: Parameters = {
    **{name: KERNEL_PARAMETERS[name] for name in _SHARED},
    "gamma": Number(0, above=True, words=("scale", "auto", "cv")),
    "fit_intercept": Flag(),
    "tol": Number(0, above=True),
    "max_iter": Number(1, MOST_STEPS, whole=True),
    "grid": GRID,
}
RELEVANCE_DOCS = {
    "relevance_kernel": """
        kernel : str, Kernel or callable, default "rbf"
            "rbf", "linear", "poly", "sigmoid", "laplacian", "cosine", "chi2", "mixed", "precomputed", a mercer kernel
            such as RBF(0.5) + Lin(), or a function of two arrays. It need not be positive semi-definite. A name stands
            for the kernel on the numbers as they are, missing ones as the mean; in a table with categories, numbers are
            standardised and levels compared too (`mercer.kernels.as_kernel`). "mixed" is "rbf" with numbers always
            standardised.""",
    "relevance_intercept": """
        fit_intercept : bool, default True
            Whether there is an intercept b, which has no prior and is at its best value.""",
    "relevance_tol": """
        tol : float, default 0.001
            The fit stops when no change of one precision raises the log marginal likelihood by more.""",
    "relevance_max_iter": """
        max_iter : int, default 10000
            Changes of one precision after which it stops, with a usable model.""",
    "relevance_cache_size": """
        cache_size : float or None, default None
            Megabytes for the kernel matrix, at most; a larger one is not held, and its products are computed anew. None
            for a quarter of the machine's memory.""",
    "relevance_grid": """
        grid : Grid or None, default None
            What gamma="cv" tries, by its gamma, cv, scoring, rows and random_state; None for `mercer.Grid()`.""",
    "relevance_attributes": """
        kernel_ : Kernel
            The kernel, fitted.
        support_ : ndarray of shape (n_support,)
            Numbers of the training rows that are relevance vectors.
        support_rows_ : Table
            Those rows.
        n_iter_ : int
            Changes of a precision.
        shape_fit_ : tuple of int
            Rows and columns of the training table.""",
}


def counted(data: TrainingRows) -> TrainingRows:
    """The training rows with how many rows each stands for as their weight."""
    counts = row_counts(data.sample_weight)
    return data if counts is None else replace(data, weight=counts)


def train(model: KernelMachine, data: TrainingRows, solve: Solve) -> tuple[Longs, list[RelevanceSolution]]:
    """(rows in use, solutions on them): rows that are equal, target included, are one of their weights' sum."""
    kept, weight = np.flatnonzero(data.weight > 0), data.weight
    if not isinstance(model.kernel_, Precomputed):
        copies = identical_rows(data.table, data.target)
        weight = np.zeros(len(weight))
        weight[copies.first] = np.bincount(copies.group, weights=data.weight)
        kept = np.flatnonzero(weight > 0)
    with at_most(relevance_threads(len(kept), model._jobs)):
        return kept, solve(_basis(model, data, kept), data.target[kept], weight[kept])


def _basis(model: KernelMachine, data: TrainingRows, kept: Longs) -> Basis:
    """The functions of the rows `kept`, at these rows: held where they fit into the memory budget."""
    n, budget = len(data.table), budget_bytes(model.cache_size)
    if n * n * 8 <= budget or isinstance(model.kernel_, Precomputed):
        gram = whole_matrix(model.kernel_, data.table, np.dtype(np.float64), budget - n * n * 8, model._jobs)
        refuse_overflow(model.kernel_, gram[0], gram.diagonal())
        return HeldBasis(gram if len(kept) == n else gram[np.ix_(kept, kept)])
    table = data.table.take(kept)

    def multiply(values: Floats) -> Floats:
        return model.kernel_.product(table, table, np.ascontiguousarray(values), dtype=np.float64, n_jobs=model._jobs)

    def block(rows: Longs) -> Floats:
        return np.asarray(model.kernel_.gram(table.take(rows), table, dtype=np.float64, n_jobs=model._jobs))

    diagonal = np.asarray(model.kernel_.diag(table, dtype=np.float64))
    refuse_overflow(model.kernel_, diagonal)
    return BlockBasis(len(kept), multiply, block, diagonal, max(1, int(budget // (32 * n))))


def keep(model: Any, data: TrainingRows, kept: Longs, found: Sequence[RelevanceSolution]) -> None:
    """Set the relevance vectors of all functions f, their coefficients and posteriors."""
    support = np.unique(np.concatenate([f.used for f in found]))
    model._posteriors = [replace(f, used=np.searchsorted(support, f.used)) for f in found]
    coef = np.zeros((len(found), len(support)))
    for line, posterior in zip(coef, model._posteriors, strict=True):
        line[posterior.used] = posterior.mean
    model._keep_support(data, kept[support], coef, [f.intercept for f in found])
    _keep_outcome(model, found)
    if not all(f.converged for f in found):
        warnings.warn(
            f"The marginal likelihood still rises after max_iter={model.max_iter} steps. Raise max_iter or tol.",
            ConvergenceWarning,
            stacklevel=3,
        )


def _keep_outcome(model: Any, found: Sequence[RelevanceSolution]) -> None:
    model.n_iter_ = sum(f.iterations for f in found)
    model.log_marginal_likelihood_ = float(sum(f.log_evidence for f in found))
    model._n_support = np.array([len(f.used) for f in found], dtype=np.int32)


def _compared(
    model: KernelMachine, table: Table, vectors: Table, numbers: Longs | Ints
) -> Iterator[tuple[slice, Floats]]:
    """(rows, their comparison with the relevance vectors, training rows of these numbers), some rows at a time."""
    for start in range(0, len(table), _CHUNK):
        rows = slice(start, min(start + _CHUNK, len(table)))
        part = table.take(rows)
        if isinstance(model.kernel_, Precomputed):
            yield rows, model.kernel_.values(part)[:, numbers]
            continue
        phi = np.zeros((len(part), 0))
        if len(vectors):
            phi = model.kernel_.gram(part, vectors, dtype=np.float64, n_jobs=model._jobs)
            refuse_infinite_sums(model.kernel_, phi)
        yield rows, phi


def means_and_variances(model: Any, table: Table) -> tuple[Floats, Floats]:
    """Of every f without the noise, (n_functions, n_rows)."""
    return _values(model._posteriors, len(table), _compared(model, table, model.support_rows_, model.support_))


def function_values(
    model: Any, table: Table, found: Sequence[RelevanceSolution], training: Table, kept: Longs
) -> tuple[Floats, Floats]:
    """The same of solutions that `train` found on the rows `kept` of a training table."""
    vectors = np.unique(np.concatenate([f.used for f in found]))
    own = [replace(f, used=np.searchsorted(vectors, f.used)) for f in found]
    return _values(own, len(table), _compared(model, table, training.take(kept[vectors]), kept[vectors]))


def _values(
    posteriors: Sequence[RelevanceSolution], n_rows: int, compared: Iterator[tuple[slice, Floats]]
) -> tuple[Floats, Floats]:
    means, variances = np.empty((2, len(posteriors), n_rows))
    for rows, phi in compared:
        for k, posterior in enumerate(posteriors):
            own = phi[:, posterior.used]
            means[k, rows], variances[k, rows] = posterior.function(own), posterior.variance(own)
    return means, variances


def posteriors_state(model: Any) -> State:
    """What a model file holds beside the support vectors."""
    return {"posteriors": [_posterior_state(p) for p in model._posteriors]}


def restore_posteriors(model: Any, state: Reader, n_functions: int) -> None:
    """Set what `keep` set, from what a model file holds."""
    model._restore_support(state, n_functions, n_functions)
    readers = state.children("posteriors")
    if len(readers) != n_functions:
        raise BadFile(f"{state.where}.posteriors: expected {n_functions}.")
    given = zip(readers, model._coef_rows, model.intercept_, strict=True)
    model._posteriors = [_read_posterior(r, line, float(b)) for r, line, b in given]
    _keep_outcome(model, model._posteriors)


def _posterior_state(found: RelevanceSolution) -> State:
    return {
        "used": found.used.astype(np.int32), "covariance": found.covariance, "centres": found.centres,
        "precisions": found.precisions, "noise": float(found.noise), "offset_variance": float(found.offset_variance),
        "log_evidence": float(found.log_evidence), "n_iter": int(found.iterations),
    }  # fmt: skip


def _read_posterior(state: Reader, coef: Floats, intercept: float) -> RelevanceSolution:
    used = state.array("used", "int32", (None,), low=0, high=len(coef) - 1).astype(np.int64)
    k = len(used)
    return RelevanceSolution(
        used, coef[used], state.squares("covariance", (k, k)), state.array("centres", "float64", (k,)),
        state.array("precisions", "float64", (k,), low=0.0, high=LARGEST_SQUARE), intercept,
        state.number("noise", 0.0, LARGEST_SQUARE), state.number("offset_variance", 0.0, LARGEST_SQUARE),
        state.number("log_evidence"), state.integer("n_iter", 1), True,
    )  # fmt: skip
