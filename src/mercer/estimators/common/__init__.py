"""What families of estimators share: targets, weights, labels, explanations, input that is no table.

`base.py` reads targets as class codes or numbers; `weights/` says what weights of classes and rows mean; `labels.py`
stores labels. `explanations/` has what a learner says of single rows, and what the report says of a fitted model.
`pairwise_input.py` reads matrices of distances or kernel values, `baseline.py` has the learners that ignore every
column, `attached.py` what models share while they are fitted; `sklearn_api/` has what scikit-learn's callers expect of
any estimator.
"""
