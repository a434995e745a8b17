"""How good and how sure: the comparison of learners behind `mercer train`.

The way of the data, from the cells of a file to a result:

1. `comparison.prepare` takes the target out of the source (`table.target_column.read_target`), infers the kinds of the
   other columns and builds the one table that all learners share. In `data`, `row_columns` takes out weights, groups,
   times; `splits.plan_splits` chooses the held-out rows and the folds of the training rows, by groups or by time where
   asked, and `columns` finds those that give the target away.
2. `comparison.compare_learners` calls `run.run_learner` for every record of `estimators.registry`: for each fold
   `split_table` makes the training and the test table, `run.fit` fits the learner and `metrics.score` scores it;
   then it is fitted to all training rows and scored on the held-out rows.
3. `intervals` and `uncertainty` turn scores into intervals that do not collapse with few rows: corrected resampled t
   for cross-validated means, score tests for areas and losses of probabilities, Wilson for shares of rows, t of
   logarithms for mean errors.
4. Learners are ranked by the cross-validated metric, `uncertainty.paired` says which do not differ from the best beyond
   error, and the best is fitted to every row.
5. `diagnostics.diagnose` looks at the errors of the best: `curves`, confusion matrix, residuals, `importance` of the
   columns; `effects` has their direction; `advice` says whether it overfits; `explanations.explain_learners` has every
   family explain its model.
6. All of it is a `result.Comparison` of plain dataclasses; the report and result.json show its `to_dict`.
"""
