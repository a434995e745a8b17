"""Estimators that keep the training rows and predict from the nearest: KNeighborsClassifier, KNeighborsRegressor,
LocallyWeightedRegression, RoteLearner.

The way of the data through `KNeighborsClassifier().fit(X, y)`:

1. classifier.py `fit` checks the declared parameters and reads X as a table. With metric="precomputed" X is a matrix of
   distances, read by `common/pairwise_input.py`.
2. votes.py `label_columns` turns y into a `LabelColumn` for each target: classes, codes, and factors by `class_weight`.
3. training_rows.py `TrainingRows.fit` turns texts into counts of words, drops rows of weight 0, chooses the distance
   (metric.py `distance_for`), fits it, and keeps the rows as it compares them. Distances, and the search for the
   nearest rows, are in `mercer.distances`.
4. choose_k.py `KSearch.choose`, when n_neighbors or weights is "cv": one search of each row's neighbours in other folds
   gives the score of every k and vote.
5. model.py `_choose_k` builds the search index (kd-tree or graph) where `algorithm` wants one.

And through `predict`:

1. model.py `_queries`: the rows of X as the distance compares them.
2. training_rows.py `nearest_by_weight`: their nearest training rows; a row of weight w counts as w rows.
3. votes.py `votes`: the vote of each neighbour by its distance; `LabelColumn.shares`: the share of each class.

regressor.py does the same with means in place of shares. local/ has the same `TrainingRows`, weighs the neighbours by a
kernel of the distance and fits a plane through them. rote.py looks up rows that are equal to a training row.
"""
