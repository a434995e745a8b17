"""One kernel of many: a sum whose weights are learned from the target.

- `kernel.py`: `MultipleKernel`, what is fitted, compared and stored.
- `generate.py`: kernels made of the columns of a table: one per column, per width, per measure of levels.
- `target.py`: what the weights are learned from: classes, numbers, or rows alone.
- `weights.py`: from Gram matrices to weights, by the solvers in `mercer.solvers.mkl`.
"""
