"""Estimators that learn from their mistakes, one row after the other: Perceptron and KernelPerceptron.

The way of the data through `Perceptron().fit(X, y)`:

1. perceptron.py `fit` checks the declared parameters and reads X into a table and y into class codes.
2. terms.py `Terms` learns the design (`mercer.encode.design`) that turns columns into numbers; beside categories and
   texts, numbers are standardised.
3. training.py `TrainingRows` states a binary problem for each hyperplane (one for two classes, otherwise one for each
   class against the rest): the side and the step of each row, rows held out, and the seed of the orders, as
   scikit-learn draws it.
4. `mercer.solvers.perceptron.train` makes the passes, each in native code, until the loss no longer falls.
   hyperplanes.py `Hyperplanes` keeps the last position, the mean, the votes.
5. base.py `fit_link` finds the logistic curve that turns scores into probabilities, where they are asked for.

`partial_fit` takes the same steps with one pass. `predict` goes from the table by `_scores` to the hyperplane on whose
positive side a row is. explain.py says what each column adds to a score.

`KernelPerceptron().fit(X, y)` (kernel/) reads X and y as `Examples` (passes.py): the table, the class of
each row, how often it is shown (its sample weight), the factor of its step (`class_weight`), and its sides. The kernel
is what `mercer.kernels.as_kernel` means by a name; dual.py `DualTrainer` finds a coefficient for each row that was a
mistake, by `mercer.solvers.kernel_perceptron.run_block`; passes.py `run_passes` repeats that until a pass is without
mistakes or none has been better for long; the rows with a coefficient are kept as the support rows.
"""
