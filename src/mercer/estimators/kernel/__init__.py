"""The parts that kernel machines are made of, of support vectors, of least squares, of logistic loss.

- `machine.py`: `KernelMachine`, the base of models f(x) = sum_j dual_coef_j k(x, x_j) + intercept: reads training rows,
  fits the kernel, keeps the support vectors, multiplies with them, and is stored.
- `choice.py`: `KernelChoice`, what the parameters kernel, degree and coef0 mean on given rows; `KernelMatrices`, the
  matrices at several gammas.
- `training_rows.py`: `TrainingRows`, table, target, weights times class weights; rows without a target set apart.
- `rows.py`: `kernel_rows`, rows of the kernel matrix within a memory budget, in single or double precision.
- `warm_start.py`: `WarmStart`, the solutions of a fit, and which of them the next one may start from.
- `shared.py`: `sharing_kernel`, machines of one kernel on the same rows, with one matrix and a path over their costs.
- `problem.py`: `MatrixProblem`, what searches on whole kernel matrices share.
- `explain.py`: `SupportPath`, which support vectors move a prediction by how much.
"""
