"""Forests: many trees, each grown on rows and columns drawn at random, and their answers averaged.

The way of the data in `fit` of `RandomForestClassifier` (`random_forest.py`; those of `extra_trees.py` draw tests):

1. `classifier.py` (`regressor.py`) checks the parameters (declared in `parameters.py`), reads the table and, by
   `mercer.estimators.tree.target`, the classes and the weights of rows, and calls
2. `base.py`, `BaseForest._fit_forest`: the columns to test (`mercer.estimators.tree.columns`: words counted, categories
   as codes), the rules of every tree (`mercer.estimators.tree.fit`), a seed for each, and `Bootstrap`, the rows that
   each draws; then
3. `mercer.solvers.tree.forest`, `grow_forest`, which codes the columns once and grows the trees natively, a
   task each.
4. `out_of_bag_values`, there too, asks each tree about the rows that it did not draw.

Prediction is the mean over the trees in one native call. `importance.py` shuffles columns among the out-of-bag rows;
`model_explanation.py` is what the report says of a forest; `selection.py` chooses columns by both importances.
"""
