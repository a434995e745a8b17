"""Rare classes: learners that are fitted to resampled rows, with probabilities corrected for the class shares.

The way of the data through `Resampled(estimator, "smote").fit(X, y)`:

1. resampled.py `fit` reads X as a Table and y as class codes: a `Sample` (sample.py), with the weights.
2. methods.py `Resampling.apply` chooses the way: draws of rows by class (sample.py `oversample`, `undersample`),
   imbalanced-learn where it takes the table (imbalanced.py), or neighbours under a distance of mercer (mixed.py), whose
   new rows are made by synthetic.py.
3. inner.py `fit_inner` fits a copy of the learner to those rows.
4. `predict_proba` is the learner's, corrected for the changed class shares by priors.py `correct_priors`.

bagging.py has `BalancedBagging`, several under-sampled fits averaged.
"""
