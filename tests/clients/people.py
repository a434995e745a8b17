"""A mixed frame with missing cells: numbers, levels with and without an order, and two classes to tell."""

from __future__ import annotations

import numpy as np
import pandas as pd

N = 90
RNG = np.random.default_rng(11)


def _people() -> tuple[pd.DataFrame, np.ndarray]:
    frame = pd.DataFrame(
        {
            "age": RNG.normal(40, 10, N),
            "pay": RNG.lognormal(3, 1, N),
            "job": RNG.choice(["clerk", "sales", "tech"], N),
            "size": pd.Categorical(RNG.choice(["S", "M", "L"], N), ["S", "M", "L"], ordered=True),
        }
    )
    classes = np.where(frame["age"] + 8 * (frame["job"] == "tech") + RNG.normal(0, 3, N) > 42, "yes", "no")
    frame.loc[::9, "age"] = np.nan
    frame.loc[::7, "job"] = None
    return frame, classes


X, Y = _people()
NUMBERS = X[["age", "pay"]].fillna(40.0)  # for clients that take numbers alone
