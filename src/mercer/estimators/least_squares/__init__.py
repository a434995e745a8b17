"""Kernel machines that minimise squared errors, on any table and any kernel.

    (K + N) c + b 1 = y,   f(x) = sum_i c_i k(x, x_i) + b,   N the penalty over the weight of each row

The way of the data in `LSSVC(C="cv").fit(df, y)`; KernelRidge, KernelRidgeClassifier and LSSVR take the same:

1. `lssvm.py` (with an intercept b; `kernel_ridge.py` and `kernel_ridge_classifier.py` without) declares the parameters,
   which share `parameters.py`; `fit`, of classes in `classifier.py`, is the story below.
2. `kernel/machine.py`: `KernelMachine._training_rows` reads the table, the targets and the weights into `TrainingRows`.
3. `linear_system/systems.py`: `System`, the rows and right-hand sides of a linear system; all targets on the same rows
   share one.
4. Parameters that are "cv" are searched by `search.py` (`LeastSquaresSearch`, a `mercer.select.search.TunableProblem`):
   one eigendecomposition (`mercer.solvers.ridge.spectrum`) for a path of penalties, each row left out in closed form;
   of many rows the large eigenvalues alone, where that is seen to be enough (`mercer.solvers.ridge.truncated`).
5. `linear_system/fit.py`: `LeastSquaresSolver` chooses how systems are solved (`linear_system/solve.py`): by Cholesky's
   factorisation where the matrix fits into the memory budget (`mercer.solvers.ridge.cholesky`), else by conjugate
   gradients (`conjugate_gradient`). `Outcome` is what they leave: support, coefficients, residual.
6. `linear_system/pruning.py` leaves out the rows of small coefficients and solves again, where few support vectors are
   asked for.
7. `process.py` is kernel ridge regression as a Gaussian process: deviations and intervals (`common/intervals.py`).

`model_explanation.py` is what the report says of such a machine.
"""
