"""Naive Bayes with the names, parameters and answers of scikit-learn's classes.

`gaussian.py` has GaussianNB, `categorical.py` CategoricalNB, `counts.py` MultinomialNB, ComplementNB and BernoulliNB;
`parameters.py` says what their parameters mean.
"""
