"""Logistic regression with a kernel, on any table: KernelLogisticRegression.

The way of the data in `KernelLogisticRegression(C="cv").fit(df, y)`:

1. `regression.py` declares the parameters; its `fit` is the story below.
2. `kernel/machine.py`: `KernelMachine._training_rows` reads the table, the classes and the weights into `TrainingRows`.
3. What is "cv" is searched by `search.py` (`KernelLogisticSearch`, a `mercer.select.search.TunableProblem`): folds are
   left out, and each solution starts the next cost.
4. `_choose_kernel` fits the kernel; `_multiplication` gives products with its matrix, held where it fits into the
   memory budget and computed anew where it does not.
5. `mercer.solvers.kernel_logistic.solve` minimises the penalised log loss by Newton's method with these products alone;
   its certificate is a duality gap.
6. The rows of positive weight are kept with their coefficients; `predict_proba` is the softmax of the functions.

`model_explanation.py` is what the report says of the model.
"""
