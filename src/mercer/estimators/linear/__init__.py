"""Linear and logistic regression on mixed tables, with the tests and figures that statistics packages give.

Both are linear in a design matrix. The way of the data through `LinearRegression().fit(X, y)`:

1. `linear_regression.LinearRegression.fit` checks the declared parameters and reads X into a table and y into targets;
   rows of weight 0 are left out.
2. `encode.design.Design.learn` decides what the columns of the design matrix are: numbers, contrasts of levels with a
   baseline, counts of words, further terms; `Design.matrix` computes it, dense or sparse; `shared` does both once for
   models that are fitted to the same rows.
3. `fit.TrainingRows` holds matrix, targets and weights; means and products of columns (`solvers.linear.moments`) and
   the triangular factor of the rows are computed once for all targets.
4. `targets.fit_targets` fits one target after another. `fit.fit_rows` chooses the solver by `method` and size
   (`solvers.linear.least_squares`, `solvers.linear.gradient`) and refines what products of columns alone give;
   `fit.fit_inliers` does so twice, the second time without outliers.
5. `inference.infer_from_rows` adds sums of squares, degrees of freedom and the covariance, classical or robust.
6. All that is one `fit.LinearFit`, kept as `fit_`; with several targets, `models_` is a model of each.

Of more than 20,000 columns, or of a long sparse matrix, `wide.fit_wide` does so without their products, by LSQR
(`solvers.linear.lsqr`). It gives no standard errors.

`partial_fit` and `merge` add up the means and products of disjoint rows and solve anew (`fit.fit_moments`).

`LogisticRegression().fit(X, y)` (`logistic/`) goes the same way as far as the design matrix; `logistic.problem` says
what its parameters mean and refuses what scikit-learn refuses; `logistic.fit.fit_logistic` then

1. scales the columns to z-scores and finds the coefficients that are identified,
2. minimises the penalised loss by Newton's method (`solvers.linear.logistic`; of a sparse matrix the products of the
   columns leave the zeros out, `solvers.linear.split_matrix`) or, where second derivatives cost too much, by L-BFGS
   beside those of a sample (`solvers.linear.lbfgs`); with a lasso, each step of Newton's minimises a quadratic model
   with it (`solvers.linear.lasso`),
3. inverts the second derivatives for standard errors, and looks for directions in which the likelihood has no maximum:
   where the classes are separated, it solves again with a small ridge penalty,
4. returns a `LogisticFit`, kept as `fit_`.

Of more than 1500 columns, or of a long matrix of many cells in each sparse row, `logistic.wide.fit_wide` does so
without their products: by L-BFGS on the matrix as it is, centred and scaled through the coefficients; with a lasso, by
Newton's method on the few columns that count (`solvers.linear.working_set`) or column by column
(`solvers.linear.proximal_newton`). It gives no standard errors.

What is asked of a fitted model:

- `predict`, `predict_proba`: the design matrix of other rows times the coefficients.
- `summary` (`summary.linear_summary`, `logistic.summary.logistic_summary`): `coefficients.Coefficients` (estimate,
  standard error, test, interval) and figures of the whole fit in a `coefficients.Summary`.
- `explain` and `curve` (`explain`): what each column adds to a prediction; the probability along one column.
- `diagnostics` (`inference.Diagnostics`): residual, leverage and Cook's distance of each row.
- `model_explanation`: what the report says of either model.
"""
