"""Linear machines from sums over parts of the rows: the minimum, whatever the parts and however few may be gathered."""

from dataclasses import fields, replace

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

from mercer._core.reference.svm import loss_argument
from mercer.solvers.svm import coordinate, smoothed_newton
from mercer.solvers.svm.coordinate import hinge, insensitive
from mercer.solvers.svm.interior_point import BoxLosses, solve_box
from mercer.solvers.svm.plane_rows import PlaneRows
from mercer.solvers.svm.smo import Limits
from mercer.solvers.svm.summed_newton import minimise

RNG = np.random.default_rng(0)
X = RNG.normal(size=(300, 5)) * [1, 1, 3, 1, 0.2]
SIGNS = np.where(X[:, 0] + 0.7 * RNG.normal(size=300) > 0.2, 1.0, -1.0)
NUMBERS = X @ [1.0, 0, 2, 0, -1] + RNG.standard_t(2, size=300) + 1


def part_of(problem, rows):
    arrays = {f.name: getattr(problem, f.name) for f in fields(problem)}
    return replace(problem, **{k: v[rows] for k, v in arrays.items() if isinstance(v, np.ndarray)})


def solve_in_parts(problem, x, parts, room, rho=1.0, gap_tol=1e-7, unit=1.0):
    kinks = problem.ridge is None
    course = minimise(x.shape[1], rho, Limits(gap_tol=gap_tol), kinks=kinks, unit=unit, n_rows=x.shape[0], room=room)
    asked = next(course)
    while True:
        answers = [asked.answer(part_of(problem, rows), x[rows]) for rows in parts]
        total = answers[0]
        for answer in answers[1:]:
            total = tuple(a + b for a, b in zip(total, answer, strict=True))
        try:
            asked = course.send(total)
        except StopIteration as end:
            return end.value


PROBLEMS = {
    "hinge": hinge(SIGNS, np.full(300, 2.0)),
    "hinge of rows of other costs": hinge(SIGNS, np.linspace(0.01, 50, 300)),
    "squared hinge": hinge(SIGNS, np.full(300, 2.0), squared=True),
    "tube": insensitive(NUMBERS, np.full(300, 2.0), 0.4),
    "tube of no width": insensitive(NUMBERS, np.full(300, 30.0), 0.0),
    "squared tube": insensitive(NUMBERS, np.full(300, 2.0), 0.4, squared=True),
}


@settings(max_examples=25, deadline=None)
@given(
    name=st.sampled_from(sorted(PROBLEMS)),
    cuts=st.lists(st.integers(1, 299), max_size=4),
    room=st.sampled_from([60, 150, 1000]),
    sparse=st.booleans(),
)
def test_the_minimum_is_between_the_values_of_coordinate_descent(name, cuts, room, sparse):
    problem = PROBLEMS[name]
    witness = coordinate.solve(problem, X, limits=Limits(tol=1e-9, max_iter=200_000))
    rows = sp.csr_array(X) if sparse else X
    parts = [p for p in np.split(np.arange(300), sorted(set(cuts))) if len(p)]
    found = solve_in_parts(problem, rows, parts, room, gap_tol=1e-6, unit=float(np.abs(problem.linear).mean()))
    assert found.status == "converged"
    assert witness.dual * (1 - 1e-9) <= found.primal <= witness.primal * (1 + 1e-6)
    w, b = found.w, found.offset
    f = X @ w + b + problem.linear
    beta = loss_argument(problem, f, slice(None))
    losses = -(f * beta + problem.tube_or_zero * np.abs(beta) + 0.5 * problem.ridge_or_zero * beta**2)
    assert found.primal == pytest.approx(0.5 * (w @ w + b * b) + losses.sum(), rel=1e-9)


@pytest.mark.parametrize("name", ["hinge", "tube", "squared hinge"])
@pytest.mark.parametrize("room", [40, 1000])
def test_an_offset_without_penalty(name, room):
    problem = replace(PROBLEMS[name], equality=True)
    witness = smoothed_newton.solve(problem, X, limits=Limits(tol=0.0, gap_tol=1e-7))
    found = solve_in_parts(problem, X, [np.arange(100), np.arange(100, 300)], room, rho=0.0, gap_tol=1e-6)
    assert found.primal == pytest.approx(witness.primal, rel=3e-6)
    assert found.offset == pytest.approx(witness.bias[0], abs=1e-2)


def test_without_an_offset():
    found = solve_in_parts(PROBLEMS["hinge"], X, [np.arange(300)], 1000, rho=np.inf)
    witness = coordinate.solve(PROBLEMS["hinge"], X, offset_scale=0.0, limits=Limits(tol=1e-9, max_iter=200_000))
    assert found.offset == 0
    assert found.primal == pytest.approx(witness.primal, rel=1e-6)


def test_a_limit_of_steps_is_kept_and_told():
    course = minimise(5, 1.0, Limits(gap_tol=0.0, max_iter=1), kinks=False, unit=1.0, n_rows=300, room=0)
    second = course.send(next(course).answer(PROBLEMS["squared hinge"], X))
    with pytest.raises(StopIteration) as end:
        course.send(second.answer(PROBLEMS["squared hinge"], X))
    assert (end.value.value.status, end.value.value.iterations) == ("max_iter", 1)


def test_the_interior_point_is_that_of_a_linear_program():
    """Hinge losses with next to no penalty: scipy's linprog on w, b and the slack of each row."""
    cost, tiny = 1.0, 1e-7
    problem = PROBLEMS["hinge"]
    losses = BoxLosses(
        problem.linear, problem.lower / 2, problem.upper / 2, np.append(np.full(5, tiny), 0.0), np.zeros(6)
    )
    w, beta = solve_box(PlaneRows(X, None), losses, np.zeros(6), 1e-8)
    rows = np.column_stack([-SIGNS[:, None] * X, -SIGNS, -np.eye(300)])
    limits = [(None, None)] * 6 + [(0, None)] * 300
    witness = linprog(np.append(np.zeros(6), np.full(300, cost)), rows, -np.ones(300), bounds=limits)
    value = cost * np.maximum(0, 1 - SIGNS * (X @ w[:-1] + w[-1])).sum()
    assert value == pytest.approx(witness.fun, rel=1e-5)
    assert ((beta >= losses.lower) & (beta <= losses.upper)).all()
