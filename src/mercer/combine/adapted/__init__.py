"""Estimators of scikit-learn around mercer's, in model files: a closed list, as plain checked data.

`adapter.py` says what each needs: its declared parameters, what `fit` found as a state, and how that is put back.
`calibrated.py` has CalibratedClassifierCV and FrozenEstimator, `several.py` those of several targets. They are looked
up by `mercer.combine.members`, beside mercer's own.
"""
