"""Relevance vector machines on any table: RVR and RVC.

`machine.py` is what both use: the basis functions within a memory budget, the relevance vectors that are kept, their
posterior and how it is stored; `regressor.py` and `classifier.py` declare the parameters and read the posterior;
`search.py` chooses gamma by cross-validation; `model_explanation.py` is what the report says. The marginal likelihood
is maximised by `mercer.solvers.relevance`.
"""
