"""Support vector machines that learn from rows without a label too, by a graph of neighbours: LaplacianSVC.

`classifier.py` declares the parameters, reads the table and asks `mercer.solvers.svm.manifold` for the deformed kernel;
`model_explanation.py` is what the report says.
"""
