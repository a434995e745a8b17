"""A mixed table, cut in chunks, and models compared value by value."""

from itertools import pairwise

import numpy as np
import pandas as pd
import pytest


def people(n=600, seed=0):
    """A mixed table with gaps, some of which go with the target."""
    rng = np.random.default_rng(seed)
    age, job = rng.normal(40, 12, n).round(1), rng.choice(["clerk", "sales", "nurse"], n, p=[0.6, 0.3, 0.1])
    pay = np.exp(rng.normal(3, 1, n)) + (job == "sales")
    label = np.where(age / 12 + (job == "nurse") + rng.normal(size=n) > 3.3, "yes", "no")
    pay[rng.random(n) < np.where(label == "yes", 0.3, 0.05)] = np.nan
    return pd.DataFrame({"age": age, "job": job, "pay": pay, "city": rng.choice(["Ulm", "Bonn", None], n), "y": label})


def cut(rows, cuts):
    edges = [0, *sorted(cuts), len(rows)]
    return [rows.iloc[a:b] for a, b in pairwise(edges)]


ROWS = people()


def state_arrays(state, path=""):
    if isinstance(state, dict):
        return {k: v for key, value in state.items() for k, v in state_arrays(value, f"{path}/{key}").items()}
    if isinstance(state, list | tuple):
        return {k: v for i, value in enumerate(state) for k, v in state_arrays(value, f"{path}/{i}").items()}
    return {path: state}


def expect_same(mine, theirs, rtol=1e-12):
    """Every fitted value: numbers up to rounding, all others exactly."""
    a, b = state_arrays(mine.to_state()), state_arrays(theirs.to_state())
    assert a.keys() == b.keys()
    for key, value in a.items():
        if isinstance(value, np.ndarray) and value.dtype.kind == "f":
            np.testing.assert_allclose(value, b[key], rtol=rtol, atol=rtol, err_msg=key)
        elif isinstance(value, float):
            assert value == pytest.approx(b[key], rel=rtol), key
        else:
            np.testing.assert_array_equal(value, b[key], err_msg=key)
