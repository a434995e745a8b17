"""The linear systems of a machine: stated (`systems.py`), solved (`solve.py`), and their outcome (`fit.py`).

`pruning.py` leaves out the rows of the smallest coefficients and solves again.
"""
