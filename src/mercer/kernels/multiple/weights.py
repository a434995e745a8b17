"""From Gram matrices and a target to the weights of kernels: one call for every method."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from mercer._core.threads import single_blas_thread
from mercer.arrays import Floats
from mercer.errors import BadTable
from mercer.kernels.multiple.target import Target, thinned
from mercer.solvers.mkl.alignment import align, alignf
from mercer.solvers.mkl.easy import easy, easy_numbers, margin_problem
from mercer.solvers.mkl.grams import Grams, centred_products, spread
from mercer.solvers.mkl.machines import Machines
from mercer.solvers.mkl.norm import lp_norm
from mercer.solvers.mkl.simple import simple
from mercer.solvers.mkl.solution import WeightSolution
from mercer.solvers.svm import duals
from mercer.solvers.svm.smo import Problem

Method = Literal["alignf", "align", "mean", "simple", "lp", "easy"]
Scaling = Literal["variance", "trace", "none"]
MANY_PASSES = ("simple", "lp")  # methods that go over the matrices again and again
_EPSILON = 0.1  # of the tube, in standard deviations of the target
_LARGEST = 1e100  # of kernel values: their products are numbers
_MANY_ROWS = 2000  # from which on weights of a part of the rows are found first
_NEAR = 10  # times the tolerance, on that part
_NU = 0.5  # share of the rows beyond the plane where there is no target


@dataclass(frozen=True)
class Recipe:
    """How weights are learned; the parameters of `MultipleKernel` of these names."""

    method: Method = "alignf"
    C: float = 1.0
    p: float = 2.0
    lam: float = 0.1
    scaling: Scaling = "variance"
    max_kernels: int | None = None
    tol: float = 1e-3


def learn_weights(
    grams: Grams, target: Target, weight: Floats, recipe: Recipe, names: Sequence[str]
) -> tuple[WeightSolution, Floats]:
    """The weights of kernels by their Gram matrices, and what each matrix is divided by first (infinity: left out).

    weight : of each row, above 0
    """
    grams = grams.scaled(_sizes(grams, weight, recipe.scaling, names))
    found = _solve(grams, target, weight, recipe)
    most = recipe.max_kernels
    if most is not None and np.count_nonzero(found.weights) > most:
        dropped = np.argsort(-found.weights, kind="stable")[most:]
        scale = grams.scale.copy()
        scale[dropped] = np.inf
        found = _solve(grams.scaled(scale), target, weight, recipe)
    if not found.weights.any():
        found = replace(found, weights=grams.uniform())
    return found, grams.scale


def _sizes(grams: Grams, weight: Floats, scaling: Scaling, names: Sequence[str]) -> Floats:
    """What each matrix is divided by; infinity for a constant one."""
    found = spread(grams, weight)
    for name, diagonal, mean in zip(names, found.diagonal, found.mean, strict=True):
        if not abs(diagonal) + abs(mean) < _LARGEST:
            raise BadTable(
                f"Kernel {name!r} gives values beyond what a number can hold, or none. Scale the columns, for instance "
                "by Encoded(kernel), or leave the kernel out."
            )
    varied = found.variance > 0
    if not varied.any():
        raise BadTable("Every kernel is constant on these rows: there is nothing to weigh. Give others.")
    sizes = {"variance": found.variance, "trace": found.diagonal, "none": np.ones(grams.m)}[scaling]
    return np.where(varied & (sizes > 0), sizes, np.inf)


def _solve(grams: Grams, target: Target, weight: Floats, recipe: Recipe) -> WeightSolution:
    if recipe.method in ("align", "alignf"):
        return _aligned(grams, target, weight, recipe)
    if recipe.method == "easy":
        return _easy(grams, target, weight, recipe.lam)
    if recipe.method in MANY_PASSES:
        machines = Machines(grams, _problems(target, weight, recipe.C))
        if recipe.method == "simple":
            return simple(machines, start=_near(grams, target, weight, recipe), tol=recipe.tol)
        return lp_norm(machines, recipe.p, tol=recipe.tol)
    return WeightSolution(grams.uniform(), 0.0, 0.0, 0, True)


def _near(grams: Grams, target: Target, weight: Floats, recipe: Recipe) -> Floats | None:
    """SimpleMKL's weights on a part of many rows, to start from: machines of a third of the rows take a ninth."""
    if grams.n < _MANY_ROWS:
        return None
    rows = thinned(np.ones(grams.n), max(_MANY_ROWS // 2, grams.n // 3))
    some, own = target.take(rows), weight[rows] * (weight.sum() / weight[rows].sum())
    if some.known != target.known:
        return None
    with single_blas_thread():  # systems so small that threads wait for each other longer than they work
        return simple(Machines(grams.take(rows), _problems(some, own, recipe.C)), tol=_NEAR * recipe.tol).weights


def _aligned(grams: Grams, target: Target, weight: Floats, recipe: Recipe) -> WeightSolution:
    """Alignment with the target; where there is none, with the mean of the kernels."""
    columns = target.columns() if target.known else np.zeros((grams.n, 1))
    products = centred_products(grams, weight, columns)
    if not target.known:
        mean = grams.uniform()
        size = float(np.sqrt(mean @ products.pairs @ mean))
        products = replace(products, target=products.pairs @ mean, target_norm=size)
    return align(products) if recipe.method == "align" else alignf(products)


def _easy(grams: Grams, target: Target, weight: Floats, lam: float) -> WeightSolution:
    if target.numbers is not None:
        return easy_numbers(grams, target.standardised(weight), weight, lam)
    return easy(grams, [margin_problem(rows, signs, weight[rows], lam) for rows, signs in target.pairs(grams.n)])


def _problems(target: Target, weight: Floats, cost: float) -> list[Problem]:
    """The machines that share the weights: one per pair of classes, per number, or one of the rows alone."""
    if target.numbers is not None:
        return [duals.svr(z, cost * weight, _EPSILON) for z in target.standardised(weight).T]
    if target.codes is None:
        return [duals.one_class(weight, _NU)]
    pairs = target.pairs(len(weight))
    return [replace(duals.svc(s, cost * weight[r]), rows=r.astype(np.int32)) for r, s in pairs]
