"""Ensemble selection: from a library of models to a weighted mean of a few of them.

`models` names the models -> `library.ModelLibrary` trains each on folds (`training`) and keeps its out-of-fold
predictions, in a folder too (`folder`) -> `forward.select` or `stacking.stack` weighs the models by a `metric` of these
predictions -> `classifier`, `regressor` fit the members to every row. `thirds` is the protocol of Yao's thesis.
"""
