"""The problem that the parameters of LogisticRegression state, in scikit-learn's words and in formulas."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any, Literal, Protocol, TypeAlias

import numpy as np
import scipy.sparse as sp

from mercer.errors import BadTable, BadTarget, MercerError

Solver = Literal["lbfgs", "liblinear", "newton-cg", "newton-cholesky", "sag", "saga"]
PenaltyName: TypeAlias = Literal["l1", "l2", "elasticnet", "deprecated"] | None
_LARGEST_LIBLINEAR = 1e30  # beyond which scikit-learn refuses, as LIBLINEAR does not come to an end


@dataclass(frozen=True)
class LogisticProblem:
    """min over a, b of sum_i w_i log-loss_i + (1 / C) ((1 - l1_ratio) |b|^2 / 2 + l1_ratio |b|_1).

    With an `intercept_scaling` s, a / s is one of the b that are penalised.
    """

    C: float
    l1_ratio: float
    intercept: bool
    intercept_scaling: float | None
    tol: float
    max_iter: int

    @property
    def penalised(self) -> bool:
        return bool(np.isfinite(self.C))

    @property
    def centred(self) -> bool:
        """Whether the intercept is free, so that columns may be taken about their means."""
        return self.intercept and self.intercept_scaling is None


class HasLogisticParameters(Protocol):
    """The parameters that state the problem."""

    penalty: PenaltyName
    C: float
    l1_ratio: float | None
    dual: bool
    tol: float
    fit_intercept: bool
    intercept_scaling: float
    solver: Solver
    max_iter: int
    n_jobs: int | None


def logistic_problem(model: HasLogisticParameters) -> LogisticProblem:
    """What the parameters say, without a check or a warning."""
    name = _penalty(model)
    ratio = {"l1": 1.0, "elasticnet": model.l1_ratio}.get(str(name), 0.0)
    liblinear = model.solver == "liblinear" and model.fit_intercept
    return LogisticProblem(
        np.inf if name is None else float(model.C), float(ratio or 0.0), bool(model.fit_intercept),
        float(model.intercept_scaling) if liblinear else None, float(model.tol), int(model.max_iter),
    )  # fmt: skip


def _penalty(model: HasLogisticParameters) -> PenaltyName:
    if model.penalty != "deprecated":
        return model.penalty
    if np.inf == model.C:
        return None
    return "l2" if not model.l1_ratio else "l1" if model.l1_ratio == 1 else "elasticnet"


def check_problem(model: HasLogisticParameters, X: Any) -> None:
    """Refuse what scikit-learn refuses of these parameters and this X, and warn of what it warns of."""
    _refuse_combinations(model, X)
    _warn_of_parameters(model)


def _refuse_combinations(model: HasLogisticParameters, X: Any) -> None:
    """MercerError for what scikit-learn refuses together, though every solver finds every optimum here."""
    name, solver = _penalty(model), model.solver
    if solver not in ("liblinear", "saga") and name not in ("l2", None):
        raise MercerError(
            f"Solver {solver} supports only 'l2' or None penalties, got {name} penalty. Use solver='saga'."
        )
    if solver != "liblinear" and model.dual:
        raise MercerError(f"Solver {solver} supports only dual=False, got dual=True. Leave it at its default.")
    if name == "elasticnet" and solver != "saga":
        raise MercerError(f"Only 'saga' solver supports elasticnet penalty, got solver={solver}. Use solver='saga'.")
    if solver == "liblinear" and name is None:
        raise MercerError(
            "C=np.inf as well as penalty=None is not supported for the liblinear solver. Use solver='lbfgs'."
        )
    if name == "elasticnet" and model.l1_ratio is None:
        raise MercerError("l1_ratio must be specified when penalty is elasticnet: a number from 0 to 1.")
    if solver in ("liblinear", "sag", "saga") and _has_long_indices(X):
        raise BadTable(
            f"Only sparse matrices with 32-bit integer indices are accepted by solver={solver!r}. Got int64 indices. "
            "Use solver='lbfgs'."
        )


def _has_long_indices(X: Any) -> bool:
    arrays = (getattr(X, name, None) for name in ("indices", "indptr", "row", "col"))
    return sp.issparse(X) and any(getattr(array, "dtype", None) == np.int64 for array in arrays)


def _warn_of_parameters(model: HasLogisticParameters) -> None:
    """Say to the caller of fit what scikit-learn deprecates, and which counts of parameters that contradict."""
    ratio, given = model.l1_ratio, model.penalty
    found: list[tuple[str, type[Warning]]] = []
    if given != "deprecated":
        notice = "'penalty' was deprecated in scikit-learn 1.8. Use l1_ratio for 'l1', 'l2' and 'elasticnet', and "
        found.append((notice + "C=np.inf for None.", FutureWarning))
    elif ratio is None:
        found.append(("'l1_ratio=None' was deprecated in scikit-learn 1.8. Use a number from 0 to 1.", FutureWarning))
    if _penalty(model) != "elasticnet" and ratio is not None and 0 < ratio < 1:
        notice = f"l1_ratio parameter is only used when penalty is 'elasticnet'. Got (penalty={_penalty(model)})."
        found.append((notice, UserWarning))
    if (given == "l2" and ratio != 0) or (given == "l1" and ratio != 1):
        notice = f"Inconsistent values: penalty={given} with l1_ratio={ratio}. The penalty counts; use l1_ratio alone."
        found.append((notice, UserWarning))
    if given is None and model.C != 1.0:
        found.append(("Setting penalty=None will ignore the C and l1_ratio parameters.", UserWarning))
    if model.n_jobs is not None:
        found.append((f"'n_jobs' has no effect, and n_jobs={model.n_jobs} was given. Leave it out.", FutureWarning))
    for notice, category in found:
        warnings.warn(notice, category, stacklevel=4)


def refuse_liblinear(solver: Solver, matrix: Any, n_classes: int) -> None:
    """What scikit-learn's wrapper of LIBLINEAR refuses: more than two classes, and numbers above 1e30."""
    if solver != "liblinear":
        return
    if n_classes > 2:
        raise BadTarget(
            "The 'liblinear' solver does not support multiclass classification (n_classes >= 3). Use another solver, "
            "or OneVsRestClassifier over it."
        )
    if matrix.max() > _LARGEST_LIBLINEAR:
        raise BadTable(
            "Using the 'liblinear' solver while X contains a maximum value > 1e30 results in a frozen fit. Please "
            "choose another solver or rescale the input X."
        )
