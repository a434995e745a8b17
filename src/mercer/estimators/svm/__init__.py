"""Support vector machines on any table: SVC, NuSVC, SVR, NuSVR, QuantileSVR, OneClassSVM, SVDD; LinearSVC, LinearSVR.

The way of the data in `SVC(kernel=RBF() + Lin()).fit(df, y)`, file by file:

1. `svc.py`: SVC declares its parameters; `classifier.py`: `KernelClassifier.fit` is the story below.
2. `kernel/machine.py`: `KernelMachine._training_rows` reads the table, the labels as codes, and the weights into
   `TrainingRows`; class weights multiply those of the rows.
3. Parameters that are "cv" are searched: `mercer.select.search.choose_parameters` asks `search.py` (`KernelSearch`, the
   machine as a `TunableProblem`) for the scores of every point, kernel matrices shared between folds, costs and pairs.
4. `multiclass/strategy.py`: `Multiclass.problems` makes binary problems of the classes, pair by pair, each against the
   rest, or by a code.
5. `formulations.py`: each binary problem becomes a dual problem (C-SVC, nu-SVC; epsilon-SVR and nu-SVR in regression).
6. `kernel/machine.py`: `_fit_kernel` fits the kernel (`kernel/choice.py`) and provides the rows of its matrix within
   the memory budget (`kernel/rows.py`).
7. `solve.py`: `train_problems` solves the dual problems under the limits of the model (`Solver`, which calls
   `mercer.solvers.svm.smo`), small ones in parallel, or from the last fit's solutions (`kernel/warm_start.py`).
8. `_keep` sets the support vectors, their coefficients, and how well the problems were solved.
9. With `probability`, `calibration.py` fits a `mercer.select.calibration.Calibrator` to cross-validated decisions.

`predict` compares the rows with the support vectors (`KernelMachine._products`) and lets `Multiclass` read the
decisions. `svr.py` and `novelty/` take the same way with one problem and no classes, `quantile.py` with a problem for
each quantile. `approximation/` trains on features of the kernel, or in cells, where the rows are many. `linear/` has no
kernel: rows become numbers (`mercer.encode.numeric`) and the solvers pass over them.
"""
