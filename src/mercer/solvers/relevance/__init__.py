"""Relevance vector machines: a few basis functions out of many, each with a prior precision of its own.

`basis` is what the solvers ask of the kernel matrix, `evidence` one Gaussian problem whose marginal likelihood rises
one precision at a time, `regression` and `classification` the two machines.
"""
