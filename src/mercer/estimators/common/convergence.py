"""A solver that stopped before it was done, said in a way that callers of scikit-learn listen for."""

from __future__ import annotations

from sklearn.exceptions import ConvergenceWarning

from mercer.errors import MercerWarning


class StoppedShort(MercerWarning, ConvergenceWarning):
    """The answer is usable, and short of the tolerance that was asked for."""
