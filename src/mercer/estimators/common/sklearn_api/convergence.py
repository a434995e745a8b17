"""A solver that stopped before it was done, or never could be: said as callers of scikit-learn listen for it."""

from __future__ import annotations

from sklearn.exceptions import ConvergenceWarning

from mercer.errors import FitWarning


class StoppedShort(FitWarning, ConvergenceWarning):
    """The answer is usable, and short of the tolerance that was asked for."""


class Separated(FitWarning, ConvergenceWarning):
    """There is no answer to converge to: coefficients that separate the classes grow without end."""
