"""Twin support vector machines on any table: TwinSVC.

`classifier.py` declares the parameters, reads the table and asks `mercer.solvers.svm.twin` for the plane of each class;
`model_explanation.py` is what the report says.
"""
