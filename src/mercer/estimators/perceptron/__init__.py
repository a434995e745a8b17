"""Estimators that learn from their mistakes, one row after the other: Perceptron and KernelPerceptron.

The way of the data through `Perceptron().fit(X, y)`:

1. base.py `fit` checks the declared parameters and reads X and y as `Examples` (passes.py): the table, the class of
   each row, how often it is shown (its sample weight), the factor of its step (`class_weight`), and its side, -1 or 1,
   of each hyperplane: one for two classes, otherwise one for each class against the rest.
2. perceptron.py `_begin` fits the design (`mercer.encode.design`) that turns columns into numbers, and standardises.
3. hyperplanes.py `HyperplaneTrainer` moves the `Hyperplanes` at each mistake; the rows of a block are shown one after
   the other by `mercer.solvers.perceptron.run_block`. `Hyperplanes` keeps the last position, the average, the votes.
   Sparse rows are moved along by sparse_hyperplanes.py `SparseTrainer`, which never makes them dense.
4. passes.py `run_passes` repeats that until a pass is without mistakes or none has been better for long; the best
   pass leaves the fewest training rows misclassified.
5. passes.py `fit_link` finds the logistic curve that turns scores into probabilities.

`partial_fit` takes the same steps with one pass. `predict` goes from the table by `_scores` to the hyperplane on whose
positive side a row is.

kernel_perceptron.py replaces steps 2 and 3: the kernel that `mercer.kernels.as_kernel` means by a name, and a
`DualTrainer` that finds a coefficient for each row that was a mistake; those rows are kept as the support rows.
"""
