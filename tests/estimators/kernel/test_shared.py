"""Machines that share a kernel matrix against machines by themselves."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

import mercer
from mercer.errors import MercerError
from mercer.estimators.kernel import machine as machine_module
from mercer.estimators.kernel.rows import rows_on_demand
from mercer.estimators.kernel.shared import kernel_key, sharing_kernel
from mercer.estimators.sharing import sharing_groups
from mercer.kernels import RBF, Lin, Overlap, Precomputed

RNG = np.random.default_rng(0)
N = 90
X = pd.DataFrame(
    {
        "a": RNG.normal(size=N),
        "b": np.where(RNG.random(N) < 0.2, np.nan, RNG.normal(size=N)),
        "job": RNG.choice(["cook", "smith", "clerk"], N),
    }
)
Y = (X["a"] + (X["job"] == "cook") + RNG.normal(size=N) > 0.3).astype(int).to_numpy()
THREE = Y + (X["a"] > 1).astype(int).to_numpy()
Z = X["a"].to_numpy() + 2 * (X["job"] == "cook").to_numpy() + RNG.normal(size=N) / 3
COSTS = (0.01, 0.1, 1.0, 10.0)
EXACT = {"tol": 1e-8, "n_jobs": 1}


def together(models: Sequence[Any], y: Any, budget: int = 10**9, weight: Any = None) -> list[np.ndarray]:
    """What machines that share a kernel predict for the last rows, fitted to the others."""
    train, test = X[:60], X[60:]
    with sharing_kernel(models, budget):
        for model in models:
            model.fit(train, y[:60], None if weight is None else weight[:60])
        return [predicted(model, test) for model in models]


def predicted(model: Any, rows: Any) -> np.ndarray:
    if not hasattr(model, "classes_"):
        return np.asarray(model.predict(rows))
    return np.asarray(model.predict_proba(rows) if hasattr(model, "calibrators_") else model.decision_function(rows))


FAMILIES: dict[str, tuple[list[Any], np.ndarray]] = {
    "lin": ([mercer.SVC(C=c, kernel=Lin(), **EXACT) for c in COSTS], Y),
    "sigmoid": ([mercer.SVC(C=c, kernel="mixed", probability="sigmoid", **EXACT) for c in COSTS], Y),
    "isotonic, three classes": ([mercer.SVC(C=c, probability="isotonic", **EXACT) for c in COSTS], THREE),
    "one against the rest": ([mercer.SVC(C=c, multi_class="ovr", **EXACT) for c in COSTS], THREE),
    "squared": ([mercer.SVC(C=c, loss="squared_hinge", kernel=RBF(on=["a"]), **EXACT) for c in COSTS], Y),
    "class weights": ([mercer.SVC(C=c, class_weight=w, **EXACT) for w in (None, {1: 2.5}) for c in COSTS], Y),
    "nu": ([mercer.NuSVC(nu=nu, **EXACT) for nu in (0.2, 0.4, 0.6)], Y),
    "numbers": ([mercer.SVR(C=c, epsilon=e, **EXACT) for e in (0.0, 0.3) for c in COSTS], Z),
    "numbers, nu": ([mercer.NuSVR(C=c, nu=0.4, **EXACT) for c in COSTS], Z),
    "single": ([mercer.SVC(C=c, precision="single", kernel=Overlap(), tol=1e-5, n_jobs=1) for c in COSTS], Y),
}


@pytest.mark.parametrize("name", FAMILIES)
@pytest.mark.parametrize("weighted", [False, True])
def test_predictions_are_those_of_machines_by_themselves(name: str, weighted: bool) -> None:
    models, y = FAMILIES[name]
    weight = RNG.uniform(0.5, 2, N) if weighted else None
    shared = [clone(model) for model in models]
    found = together(shared, y, weight=weight)
    for model, ours in zip(models, found, strict=True):
        alone = clone(model).fit(X[:60], y[:60], None if weight is None else weight[:60])
        np.testing.assert_allclose(ours, predicted(alone, X[60:]), atol=2e-3 if name == "single" else 1e-5)
    assert not any("_shared_kernel" in model.__dict__ for model in shared)


def test_the_matrix_is_computed_once_and_solutions_start_the_next(monkeypatch: pytest.MonkeyPatch) -> None:
    made = []
    real = machine_module.rows_on_demand
    monkeypatch.setattr(machine_module, "rows_on_demand", lambda *a: made.append(a[0]) or real(*a))
    models = [mercer.SVC(C=c, kernel=Lin(), tol=1e-6, n_jobs=1) for c in (1.0, 1.1)]
    together(models, Y)
    alone = mercer.SVC(C=1.1, kernel=Lin(), tol=1e-6, n_jobs=1).fit(X[:60], Y[:60])
    assert len(made) == 1 and models[0].kernel_ is models[1].kernel_
    assert models[1].n_iter_[0] < alone.n_iter_[0]


def test_with_little_memory_rows_are_computed_when_needed() -> None:
    for name in ("numbers", "lin"):
        models, y = [clone(model).set_params(tol=1e-4) for model in FAMILIES[name][0][:3]], FAMILIES[name][1]
        expected = together([clone(model) for model in models], y)
        for ours, theirs in zip(together(models, y, budget=50 * 60 * 8), expected, strict=True):
            np.testing.assert_allclose(ours, theirs, atol=1e-2)


def test_rows_on_demand_are_those_of_the_matrix() -> None:
    table = mercer.read_table({"a": RNG.normal(size=1100), "job": RNG.choice(["cook", "smith"], 1100)})
    for kernel in (RBF(on=["a"]).fit(table), Lin(on=["job"]).fit(table)):
        rows = rows_on_demand(kernel, table, np.dtype(np.float64), 10**9, 1)
        assert rows.gram is None
        some = np.array([3, 1000, 7], dtype=np.int32)
        np.testing.assert_allclose(rows.rows(some), kernel.gram(table)[some], rtol=1e-12)
    wild = mercer.read_table({"a": np.full(1100, 1e200)})
    kernel = mercer.kernels.Linear().fit(wild)
    with np.errstate(over="ignore"), pytest.raises(MercerError, match="beyond what a number can hold"):
        rows_on_demand(kernel, wild, np.dtype(np.float64), 10**9, 1)


def test_a_machine_fitted_together_is_stored_and_predicts_alone(tmp_path: Any) -> None:
    models = [mercer.SVC(C=c, kernel=Lin(), n_jobs=1) for c in COSTS]
    [*_, last] = together(models, Y)
    mercer.save(models[-1], tmp_path / "m.mercer")
    again = mercer.load(tmp_path / "m.mercer").decision_function(X[60:])
    np.testing.assert_allclose(again, last, atol=1e-12)


def test_who_shares_with_whom() -> None:
    models = [
        mercer.SVC(C=10, kernel=Lin()),
        mercer.SVC(C="cv", kernel=Lin()),
        mercer.SVC(C=1, kernel=Lin(), class_weight="balanced"),
        mercer.SVC(C=1, kernel=Lin(), missing_indicator="never"),
        mercer.SVC(C=1, kernel=Lin(), transductive=True),
        mercer.SVC(C=1, kernel=Lin(), warm_start=True),
        mercer.SVC(C=1, kernel="precomputed"),
        mercer.SVC(C=1, kernel=Precomputed()),
        mercer.SVC(C=1, kernel=lambda a, b: a @ b.T),
        mercer.SVC(C=1),
        mercer.SVC(C=2, gamma="cv"),
        mercer.LinearSVC(),
        mercer.KernelRidge(),
        mercer.KernelRidge(alpha=2.0),
    ]
    assert sharing_groups(models) == [[2, 0], *([m] for m in (1, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13))]
    assert kernel_key(models[1]) is None and kernel_key(models[0]) == kernel_key(models[2])
