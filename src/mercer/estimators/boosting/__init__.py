"""Boosted trees: many small trees, each grown on what the sum of those before it gets wrong.

The way of the data in `fit`:

1. `classifier` and `regressor` read the table and the target, weights of rows and classes, and choose the loss.
2. `base.BaseBoosting._boost` sets rows aside for early stopping, then makes columns of the table
   (`estimators.tree.columns`: words counted, levels as codes), bins of the columns (`solvers.boost.binning`) and
   tiles of the bins (`solvers.boost.tiles`).
3. `solvers.boost.boost` adds trees round by round: gradients (`solvers.boost.losses`), a tree grown natively on
   histograms, its values added to the sum, the rounds scored by `rounds`.
4. What is kept is a `solvers.boost.forest.Forest` and the binning; `predict` bins new rows and walks the trees.
"""
