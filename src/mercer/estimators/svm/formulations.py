"""The supervised SVM problems: how each becomes a dual problem, and how its solution is read.

C-SVC and epsilon-SVR have a cost C that a search can follow from small to large (`plan`); nu-SVC and nu-SVR bound the
share of errors by nu instead, and a search solves every point afresh (`test_decisions`). Quantiles and expectiles have
a cost, too.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias

import numpy as np

from mercer._core.gram import KernelRows
from mercer.arrays import Bools, Floats, Ints
from mercer.errors import BadTarget, MercerWarning
from mercer.estimators.kernel.training_rows import TrainingRows
from mercer.estimators.kernel.warm_start import Start
from mercer.estimators.multiclass.codes import BinaryProblem
from mercer.estimators.multiclass.strategy import Multiclass
from mercer.estimators.svm.solve import Solver, Trained
from mercer.select.grid import standard_deviation
from mercer.solvers.svm import duals
from mercer.solvers.svm.cv_path import Plan
from mercer.solvers.svm.smo import Problem, Solution

ClassLoss = Literal["hinge", "squared_hinge"]
TubeLoss = Literal["epsilon_insensitive", "squared_epsilon_insensitive"]
QuantileLoss = Literal["pinball", "expectile"]
_BEYOND_REACH = float(np.finfo(np.float32).tiny)  # smaller than any kernel value that is not 0 in single precision


@dataclass(frozen=True)
class CostClassification:
    """C-SVC: min 1/2 |w|^2 + C sum_i weight_i xi_i, or C sum_i weight_i xi_i^2 where `squared`.

    bias : whether decisions have an offset
    """

    C: float
    squared: bool
    multiclass: Multiclass
    bias: bool = True

    def problem(self, binary: BinaryProblem, weight: Floats) -> Problem:
        """The dual problem of two classes; for an infinite cost that of cost 1."""
        cost = (self.C if np.isfinite(self.C) else 1.0) * weight
        squared = self.squared and bool(np.isfinite(self.C))
        cost = 2 * squared_loss_cost(cost) if squared else cost
        return replace(duals.svc(binary.y, cost, squared_slack=squared, bias=self.bias), rows=binary.rows)

    def train(self, problem: Problem, rows: KernelRows, solver: Solver, start: Start | None = None) -> Trained:
        """The coefficients and the bias; BadTarget when an infinite cost has no solution."""
        if np.isfinite(self.C):
            return self._read(problem, solver(problem, rows, start))
        found, exact = solver.hard_margin(problem, rows)
        if exact:
            return self._read(problem, found)
        wrong = int((-problem.linear * (found.f[problem.kernel_rows] + found.bias[0]) < 1 - 1e-2).sum())
        raise BadTarget(
            "C=inf asks for a margin without errors, but the classes do not separate with this kernel: "
            f"{wrong} of {len(problem.linear)} rows are inside the margin. Give a finite C, or a kernel of more "
            "features."
        )

    def _read(self, problem: Problem, found: Solution) -> Trained:
        """Without an offset, rows that no support vector is like get the more frequent class."""
        bias = found.bias[0] if self.bias else float(np.copysign(_BEYOND_REACH, -problem.linear.sum()))
        return Trained(found.beta, bias, found)

    def plan(self, data: TrainingRows, folds: Ints, costs: Floats) -> Plan:
        """The problems of a search over costs."""
        problems = self.multiclass.problems(data.target)
        targets = np.zeros((len(problems), len(data.target)))
        for p, binary in enumerate(problems):
            targets[p, binary.rows] = binary.y
        members = (targets != 0) & ((data.weight > 0) | self.squared)
        weight = 2 * squared_loss_cost(data.weight) if self.squared else data.weight
        return Plan(targets, folds, costs, members=members.astype(np.uint8), weight=weight, squared_slack=self.squared,
                    bias=self.bias)  # fmt: skip

    def units(self, data: TrainingRows) -> dict[str, float]:
        """What the default values of a grid are multiplied with."""
        return {"C": 1.0}

    def tolerances(self, data: TrainingRows, tol: float, gap: float) -> tuple[float, float]:
        """`tol` and the gap of a grid in the units of the problem."""
        return tol, gap


@dataclass(frozen=True)
class NuClassification:
    """nu-SVC: at most a share nu of the rows are margin errors, at least a share nu are support vectors.

    capped : whether a nu that the rows do not allow is lowered, as in a fold that is a row short of the whole
    """

    nu: float
    multiclass: Multiclass
    capped: bool = False

    def problem(self, binary: BinaryProblem, weight: Floats) -> Problem:
        """The dual problem of two classes, BadTarget when nu is infeasible."""
        most = _largest_nu(binary, weight)
        nu = min(self.nu, most) if self.capped else self.nu
        if nu > most * (1 + 1e-9):
            raise BadTarget(
                f"specified nu is infeasible: nu={self.nu} asks for more rows of the smaller class than there are; at "
                f"most {most:.4g} here. Lower nu, or weigh the classes."
            )
        unit = weight[weight > 0].mean()  # the answer is free of it; `tol` of the solver is not
        made = duals.nu_svc(binary.y, weight / unit, min(nu, most))
        return replace(made, rows=binary.rows[made.kernel_rows])

    def train(self, problem: Problem, rows: KernelRows, solver: Solver, start: Start | None = None) -> Trained:
        """Coefficients and bias scaled so that the margins are at -1 and 1."""
        found = solver(problem, rows, start)
        first, second = found.bias
        if second - first < 10 * solver.tol and not self.capped:
            warnings.warn(
                f"nu={self.nu} leaves no margin: the classes overlap by more than it allows, and the answer is as "
                "rough as tol. Raise nu, or use SVC.",
                MercerWarning,
                stacklevel=4,
            )
        return Trained(*duals.nu_svc_answer(found), found)

    def largest_nu(self, data: TrainingRows) -> float:
        """The largest nu that every pair of classes allows."""
        problems = self.multiclass.problems(data.target)
        return min(_largest_nu(binary, data.weight[binary.rows]) for binary in problems)

    def units(self, data: TrainingRows) -> dict[str, float]:
        """What the default values of a grid are multiplied with."""
        return {"nu": self.largest_nu(data)}

    def test_decisions(self, data: TrainingRows, train: Bools, rows: KernelRows, solver: Solver) -> Floats:
        """Decisions (n_problems, n_rows) on all rows of machines trained on some of them."""
        capped = replace(self, capped=True)
        decisions = []
        for binary in self.multiclass.problems(data.target):
            part = binary.take(train[binary.rows])
            weight = data.weight[part.rows]
            signs = {*part.y[weight > 0].tolist()}
            only_one = np.full(len(train), sum(signs))  # no training row of one of the classes: the other is predicted
            decisions.append(all_decisions(capped, part, weight, rows, solver) if len(signs) == 2 else only_one)
        return np.array(decisions)


@dataclass(frozen=True)
class EpsilonRegression:
    """epsilon-SVR: min 1/2 |w|^2 + C sum_i weight_i max(0, |y_i - f(x_i)| - epsilon), or its square.

    unit : what C, epsilon and tol count in: 1, or the standard deviation of the target
    """

    C: float
    epsilon: float
    squared: bool
    unit: float = 1.0

    @property
    def cost_unit(self) -> float:
        """A cost of squared errors has no unit, one of absolute errors that of the target."""
        return 1.0 if self.squared else self.unit

    def problem(self, target: Floats, weight: Floats) -> Problem:
        """The dual problem; for an infinite cost that of cost 1."""
        hard = not np.isfinite(self.C)
        squared = self.squared and not hard
        cost = (1.0 if hard else self.C) * weight * self.cost_unit
        cost = 2 * squared_loss_cost(cost) if squared else cost
        return duals.svr(target, cost, self.epsilon * self.unit, squared_slack=squared)

    def train(self, problem: Problem, rows: KernelRows, solver: Solver, start: Start | None = None) -> Trained:
        """The coefficients and the bias; BadTarget when an infinite cost has no solution."""
        solver = replace(solver, tol=solver.tol * self.unit)
        if np.isfinite(self.C):
            found = solver(problem, rows, start)
        else:
            found, exact = solver.hard_margin(problem, rows, float(np.abs(problem.linear).max()) or 1.0)
            if not exact:
                raise BadTarget(
                    f"C=inf allows no error beyond epsilon={self.epsilon}, and no function of this kernel has none. "
                    "Give a finite C, a larger epsilon, or a kernel of more features."
                )
        return Trained(found.beta, found.bias[0], found, float(self.epsilon * self.unit))

    def plan(self, data: TrainingRows, folds: Ints, costs: Floats) -> Plan:
        """The problems of a search over costs."""
        weight = 2 * squared_loss_cost(data.weight) if self.squared else data.weight
        members = (weight > 0).astype(np.uint8)[None]
        return Plan(data.target[None], folds, costs * self.cost_unit, members, weight,
                    regression=True, squared_slack=self.squared, epsilon=float(self.epsilon) * self.unit)  # fmt: skip

    def units(self, data: TrainingRows) -> dict[str, float]:
        """What the default values of a grid are multiplied with."""
        own = standard_deviation(data.target, data.weight) / self.unit
        return {"C": 1.0 if self.squared else own, "epsilon": own}

    def tolerances(self, data: TrainingRows, tol: float, gap: float) -> tuple[float, float]:
        """`tol`, and the gap of a grid, which is one of mean losses: in units of the target, or of its square."""
        own = standard_deviation(data.target, data.weight)
        return tol * self.unit, gap * (own**2 if self.squared else own)


@dataclass(frozen=True)
class NuRegression:
    """nu-SVR: at most a share nu of the rows lie outside the tube, whose width is learned."""

    C: float
    nu: float

    def problem(self, target: Floats, weight: Floats) -> Problem:
        """The dual problem."""
        return duals.nu_svr(target, self.C * weight, self.nu)

    def train(self, problem: Problem, rows: KernelRows, solver: Solver, start: Start | None = None) -> Trained:
        """Coefficients by training row, bias and the width of the tube."""
        found = solver(problem, rows, start)
        coef, bias, tube = duals.nu_svr_answer(problem, found)
        return Trained(coef, bias, found, tube)

    def units(self, data: TrainingRows) -> dict[str, float]:
        """What the default values of a grid are multiplied with."""
        return {"C": standard_deviation(data.target, data.weight), "nu": 1.0}

    def largest_nu(self, data: TrainingRows) -> float:
        """Any share of the rows may lie outside."""
        return 1.0

    def test_decisions(self, data: TrainingRows, train: Bools, rows: KernelRows, solver: Solver) -> Floats:
        """Decisions (1, n_rows) on all rows of a machine trained on some of them."""
        kept = np.flatnonzero(train).astype(np.int32)
        made = self.problem(data.target[kept], data.weight[kept])
        trained = self.train(replace(made, rows=kept[made.kernel_rows]), rows, solver)
        return (trained.solution.f + trained.bias)[None]


@dataclass(frozen=True)
class AsymmetricRegression:
    """A quantile or an expectile: min 1/2 |w|^2 + sum_i cost_i rho(y_i - f(x_i)), rho steeper on one side."""

    loss: QuantileLoss

    def problem(self, target: Floats, cost: Floats, tau: float) -> Problem:
        """The dual problem of the line `tau`."""
        if self.loss == "pinball":
            return duals.quantile(target, cost, tau)
        return duals.expectile(target, squared_loss_cost(cost), tau)

    def train(self, problem: Problem, rows: KernelRows, solver: Solver, start: Start | None = None) -> Trained:
        """Coefficients by training row, and the bias."""
        found = solver(problem, rows, start)
        return Trained(duals.by_row(problem, found.beta, rows.n), found.bias[0], found)


Classification: TypeAlias = CostClassification | NuClassification


def all_decisions(
    formulation: Classification, binary: BinaryProblem, weight: Floats, rows: KernelRows, solver: Solver
) -> Floats:
    """The decisions on all rows of a machine trained on a binary problem."""
    trained = formulation.train(formulation.problem(binary, weight), rows, solver)
    beta = trained.solution.beta
    scale = float(trained.coef @ beta) / max(float(beta @ beta), 1e-300)
    return trained.solution.f * (scale or 1.0) + trained.bias


def squared_loss_cost(cost: Floats) -> Floats:
    """Costs of squared errors: a row of weight 0 has one that costs next to nothing."""
    return cost if (cost > 0).all() else np.maximum(cost, 1e-12 * cost.max())


def _largest_nu(binary: BinaryProblem, weight: Floats) -> float:
    """Twice the share of the smaller class."""
    sums: list[Any] = [float(weight[binary.y == sign].sum()) for sign in (1.0, -1.0)]
    return 2 * min(sums) / sum(sums)
