"""Naive Bayes: P(c | x) proportional to P(c) * prod_j p(x_j | c).

The way of the data through a `BayesClassifier` (classifier.py), whose parts p(x_j | c) are in `mercer.likelihoods`.
`NaiveBayes` (naive_bayes.py) lets its user choose them; `drop_in/` (GaussianNB, CategoricalNB, MultinomialNB,
ComplementNB, BernoulliNB) states them by scikit-learn's parameters.

fit
    1. `check_parameters` refuses what the declared parameters do not allow.
    2. `_fit_table` (common/base.py) and `class_codes` read X as a Table and y as class codes; `class_weighted`
       (common/weights/class_weight.py) multiplies the row weights by those of the classes.
    3. `column_likelihoods` (column_likelihoods.py) chooses a likelihood for each column, by name, by kind or by
       default, and groups the columns that share one.
    4. `count_rows` (statistics.py) makes one pass over the rows and gives `Statistics`: the weight of each class, and
       likelihoods with their sufficient statistics.
    5. `_keep` sets the fitted attributes; `class_priors` (statistics.py) turns class weights into P(c).

partial_fit, merge
    Statistics add up, so that both are `Statistics.merge`: it joins levels and classes and adds. `partial_fit` reads
    a chunk in the kinds of the first one (`read_chunk`, chunks.py) and counts it as `fit` does.

predict, predict_proba, explain, tables
    `_joint` adds log P(c) and the log likelihoods of all groups; predictions are its largest entry or its softmax.
    `explain` takes the same sum apart by column, and `tables` shows the estimates (explain.py), `bayes_product`
    the factors of one row (product.py); model_explanation.py shortens them for the report.

to_state, from_state
    The declared parameters and the schema are stored by TableEstimator, `Statistics.to_state` adds the rest.

`NaiveBayesRegressor` (regression.py) predicts a number, either by cutting it into intervals that a NaiveBayes takes as
classes, or by kernel densities on a grid of target values (`mercer.likelihoods.target_grid`). `posterior`
(posterior.py) is Bayes' rule by itself, for a few hypotheses and pieces of evidence.
"""
