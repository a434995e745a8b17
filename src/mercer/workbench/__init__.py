"""The main jobs as functions: what Python calls and `mercer.cli` shows in the terminal.

`train` (in parts in `training/`) compares learners and keeps the best; `prediction/` answers for new rows; `evaluate`
and `score_curves` say how good any model is, `compare` which of two is better, `nested` how good the choice itself is;
`explain` and `counterfactual` say why a row got its answer. `sources` and `labelled` read what each of them is given.
"""
