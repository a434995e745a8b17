"""Kernel machines that minimise squared errors, on any table and any kernel: KernelRidge.

    (K + N) c + b 1 = y,   f(x) = sum_i c_i k(x, x_i) + b,   N the penalty over the weight of each row

1. `kernel_ridge.py` declares the parameters; `fit` is the story below.
2. `kernel/machine.py`: `KernelMachine._training_rows` reads the table, the targets and the weights into `TrainingRows`.
3. `systems.py`: `System`, the rows and right-hand sides of a linear system; all targets on the same rows share one.
4. Parameters that are "cv" are searched by `search.py` (`LeastSquaresSearch`, a `mercer.select.search.TunableProblem`):
   one eigendecomposition (`mercer.solvers.ridge.spectrum`) for a path of penalties, each row left out in closed form.
5. `machine.py`: `LeastSquaresMachine._solve` solves every system, by Cholesky's factorisation where the matrix fits
   into the memory budget (`mercer.solvers.ridge.cholesky`), else by conjugate gradients (`conjugate_gradient`), and
   keeps coefficients, residual and evidence.

`model_explanation.py` is what the report says of such a machine.
"""
