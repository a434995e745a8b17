"""When a solver stops: checks of tol, max_iter and time_limit."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any

import numpy as np

from mercer.errors import MercerError


def expect_limits(model: Any, least: int = -1) -> None:
    """MercerError unless tol is above 0, max_iter an integer of at least `least`, time_limit None or above 0."""
    if not _above_zero(model.tol):
        raise MercerError(f"tol={model.tol!r}: expected a number above 0.")
    if isinstance(model.max_iter, bool) or not isinstance(model.max_iter, Integral) or model.max_iter < least:
        unlimited = " (-1 for no limit)" if least < 0 else ""
        raise MercerError(f"max_iter={model.max_iter!r}: expected an integer of at least {least}{unlimited}.")
    if model.time_limit is not None and not _above_zero(model.time_limit):
        raise MercerError(f"time_limit={model.time_limit!r}: expected seconds above 0, or None for no limit.")


def _above_zero(value: Any) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool) and bool(0 < float(value) < np.inf)
