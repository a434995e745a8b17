"""Novelty detection, learned without labels: `one_class.py` by a plane (OneClassSVM), `svdd.py` by a ball (SVDD)."""
