"""Tables of numbers and of every kind, with cells missing."""

import numpy as np

import mercer
from mercer.table import from_array


def numeric(n=60, d=4, missing=0.0, seed=0):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, d))
    x[rng.random(x.shape) < missing] = np.nan
    return from_array(x)


def mixed(n=80, missing=0.15, seed=1):
    rng = np.random.default_rng(seed)

    def holes(values):
        return [None if rng.random() < missing else v for v in values]

    return mercer.read_table(
        {
            "age": holes(rng.integers(18, 70, n).astype(float).tolist()),
            "pay": holes(rng.normal(3000, 500, n).round(1).tolist()),
            "job": holes(rng.choice(["sales", "clerk", "nurse", "cook"], n).tolist()),
            "sex": holes(rng.choice(["f", "m"], n).tolist()),
            "size": holes(rng.choice(["S", "M", "L"], n).tolist()),
        },
        kinds={"size": ["S", "M", "L"]},
    )
