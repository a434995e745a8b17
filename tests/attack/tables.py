"""The small mixed table that attacked models are fitted to, and the rows that they are asked about."""

from __future__ import annotations

import numpy as np

import mercer

_N = 48
_rng = np.random.default_rng(0)
_number = _rng.normal(size=_N).round(3)
CELLS = {
    "number": (_number + 4).round(3).tolist(),  # above 0, as some estimators need it
    "gaps": [None if i % 7 == 0 else float(v) for i, v in enumerate(_rng.integers(0, 90, _N))],
    "job": _rng.choice(["clerk", "sales", "chef"], _N).tolist(),
    "flag": _rng.choice(["yes", "no"], _N).tolist(),
    "size": _rng.choice(["S", "M", "L"], _N).tolist(),
    "note": _rng.choice(["tea and milk", "coffee", "tea", "no milk"], _N).tolist(),
}
KINDS = {"size": ["S", "M", "L"], "note": "text"}
ROWS = mercer.read_table(CELLS, kinds=KINDS)
LABELS = np.where(_number + (ROWS.codes("job")[:, 0] == 1) > 0.8, "hi", np.where(_number > -0.5, "mid", "lo"))
TARGET = _number * 3 + ROWS.codes("size")[:, 0]
PROBES = {name: [*cells[:8], None, cells[0]] for name, cells in CELLS.items()}  # training rows, and one all missing
PROBES["job"][-1] = "pilot"  # never seen
