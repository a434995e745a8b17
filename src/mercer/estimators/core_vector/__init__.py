"""Core vector machines on any table: CoreVectorMachine.

`classifier.py` declares the parameters, reads the table and asks `mercer.solvers.svm.core_set` for the ball of each
binary problem; `model_explanation.py` is what the report says.
"""
