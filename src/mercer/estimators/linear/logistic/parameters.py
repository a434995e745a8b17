"""The parameters that LogisticRegression has of scikit-learn and of its own: what they may be, and what they mean."""

from __future__ import annotations

import numpy as np

from mercer.encode.blocks import Baseline
from mercer.estimators.common.weights.class_weight import CLASS_WEIGHT
from mercer.estimators.linear.logistic.problem import Solver
from mercer.parameters import MOST_STEPS, RANDOM_STATE, VERBOSE, Choice, Dictionary, Flag, Number, Parameters, Texts

LOGISTIC_PARAMETERS: Parameters = {
    "penalty": Choice(("l1", "l2", "elasticnet", "deprecated", None)),
    "C": Number(0.0, np.inf, above=True),
    "l1_ratio": Number(0.0, 1.0, optional=True),
    "dual": Flag(),
    "tol": Number(0.0),
    "fit_intercept": Flag(),
    "intercept_scaling": Number(0.0, above=True),
    "class_weight": CLASS_WEIGHT,
    "random_state": RANDOM_STATE,
    "solver": Choice(Solver),
    "max_iter": Number(0, MOST_STEPS, whole=True),
    "verbose": VERBOSE,
    "warm_start": Flag(),
    "n_jobs": Number(whole=True, optional=True),
    "terms": Texts(optional=True),
    "baseline": Choice(Baseline),
    "scale": Flag(),
    "kinds": Dictionary(),
}

# Docstring entries, where they are not those of other classes too.
LOGISTIC_DOCS = {
    "penalty_C_dual_tol": """
        penalty : {"l1", "l2", "elasticnet", "deprecated"} or None, default "deprecated"
            As l1_ratio 1, 0, itself, and as C=np.inf. Deprecated in scikit-learn 1.8: say it by `l1_ratio` and `C`.
        C : float, default 1.0
            Above 0: the smaller, the stronger the penalty; np.inf for plain maximum likelihood.
        l1_ratio : float or None, default 0.0
            From 0 (ridge) to 1 (lasso: many coefficients exactly 0). None, deprecated in scikit-learn 1.8, is 0.
        dual : bool, default False
            No effect: the optimum is the same. True is refused unless solver="liblinear", as in scikit-learn.
        tol : float, default 1e-4
            At least 0. Stop when the gradient per row, in z-scores, is below it.""",
    "intercept_scaling_liblinear": """
        intercept_scaling : float, default 1
            With solver="liblinear": what the intercept is divided by in the penalty, above 0. Others do not penalise
            it.""",
    "logistic_solver": """
        solver : {"lbfgs", "liblinear", "newton-cg", "newton-cholesky", "sag", "saga"}, default "lbfgs"
            As scikit-learn's names say what may be asked for: "saga" every penalty, "liblinear" ridge or lasso, two
            classes and a penalised intercept, the others ridge or none. All find the same optimum, by Newton's method
            while classes times columns are few, otherwise by L-BFGS or, with a lasso, by Newton's method on the
            columns that count; above 1500 columns a sparse X stays sparse, and there are no standard errors.
        max_iter : int, default 100
            Steps at most.""",
    "warm_start_n_jobs": """
        warm_start : bool, default False
            Whether fit begins with the coefficients of the fit before.
        n_jobs : int or None, default None
            No effect, as in scikit-learn since 1.8.""",
    "logistic_scale": """
        scale : bool, default False
            Whether the penalty is on the coefficients of columns divided by their width, a standard deviation that a
            few cells far from all others do not move (1 for levels and counts of words): their units then make no
            difference.""",
}
