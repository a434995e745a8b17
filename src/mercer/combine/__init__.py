"""Many models into one answer.

`members` keeps the models that an estimator is made of in its state; `multiclass/` answers questions of several classes
by binary ones; `resample/` fits learners to rows resampled for rare classes; `ensemble/` trains a library of models,
chooses and weighs some of them on their out-of-fold predictions, and answers with the weighted mean of those.
"""
