"""Linear support vector machines for many rows: no kernel matrix, time grows with the cells.

`LinearSVC.fit` (`svc.py`) and `LinearSVR.fit` (`svr.py`) read the table and the target; `machine.py` encodes the rows
as numbers (`mercer.encode.numeric.NumericEncoding`), chooses the cost (`search.py` has the machine as a problem of
`mercer.select.search`), and solves the problems that `_formulate` makes. `problems.py` pairs each problem with its
solver: Newton's method or coordinate descent, the lasso, or Crammer and Singer's for all classes at once.
"""
