"""Support vector machines of many rows, where `approximation` is given (see `mercer.estimators.kernel.approximation`).

`features.py` solves linear problems on features of the kernel; `cells.py` solves the problems of each cell of rows
exactly, which for classes `cell_classes.py` states.
"""
