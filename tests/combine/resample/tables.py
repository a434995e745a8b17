"""Small tables with a rare class: numbers, mixed, mixed with missing cells, levels alone."""

from __future__ import annotations

import numpy as np
import pandas as pd

N = 150


def labels() -> np.ndarray:
    return np.where(np.arange(N) % 8 == 0, "rare", "common")[np.random.default_rng(1).permutation(N)]


Y = labels()
RARE = int((Y == "rare").sum())


def numbers() -> np.ndarray:
    rng = np.random.default_rng(2)
    return rng.normal(size=(N, 3)) * [1.0, 50.0, 0.01] + 1.2 * (Y == "rare")[:, None] * [1.0, 50.0, 0.01]


def mixed(*, missing: bool) -> pd.DataFrame:
    rng = np.random.default_rng(3)
    frame = pd.DataFrame(
        {
            "age": rng.normal(40, 10, N) + 8 * (Y == "rare"),
            "pay": rng.lognormal(3, 1, N),
            "job": rng.choice(["clerk", "sales", "tech"], N),
            "size": pd.Categorical(rng.choice(["S", "M", "L"], N), ["S", "M", "L"], ordered=True),
        }
    )
    if missing:
        frame.loc[::4, "age"] = np.nan
        frame.loc[::5, "job"] = None
    return frame


def levels() -> pd.DataFrame:
    return mixed(missing=True)[["job", "size"]]
