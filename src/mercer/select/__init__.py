"""Choosing: which parameters, by which scores, on which rows, with which probabilities.

Estimators use this package; it imports none of them. The way of a search, `SVC(C="cv").fit` or `mercer.tune`:

1. `grid.py`: `Grid` says what is tried and how points are compared.
2. `search.py`: the estimator hands over a `TunableProblem`, itself with its training rows; `search` draws rows
   (`sampling.py`), deals folds with copies of a row together (`copies.py`), and asks the problem for values to try
   (`axes`) and for all scores (`cross_validate`).
3. `cv_scores.py`: `FoldScorer` turns the decisions on the test rows of a fold into a score; probabilities come from
   `calibration.py`, areas under curves from `auc.py`.
4. `tuning_result.py`: `Tuning` holds every point with its interval, the best, and the simplest that is nearly as good.
5. `tune.py`: `tune` does the same on folds of one's own, for any estimator that is `Tunable`.

`weighted.py` has the metrics as functions of row weights, for bootstrap intervals.
"""
