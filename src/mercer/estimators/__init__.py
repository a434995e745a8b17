"""Where a table, a part that compares or scores rows, and a solver meet: a folder per family of learners.

`common/` has what families share, `kernel/` and `multiclass/` the parts of machines with a kernel and of several
classes. `registry.py` has a record of each learner (`learner.py`), from which the comparison, the model file and the
report derive; `sharing.py` lets models of one kernel use one matrix. The docstring of each family's `__init__` tells
the way of the data through it.
"""
