"""Products of a plane with the rows of a long matrix, gathered by blocks on several threads."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import scipy.sparse as sp

from mercer._core.threads import effective_jobs
from mercer.arrays import Floats, Ints, Longs

_ROUNDING = 0.1
_CELLS = 1 << 22  # of rows gathered at a time
_COPIED = (
    1 << 24
)  # cells of rows that are gathered once, 64 MB in single precision: then every product reads them in order


class PlaneRows:
    """Products with some of the rows of a matrix, dense or CSR: copied where they are few, else gathered by blocks."""

    def __init__(self, z: Any, rows: Ints | None) -> None:
        few = rows is not None and len(rows) * z.shape[1] <= _COPIED
        self.z, self.rows = (z[rows], None) if few else (z, rows)

    def __len__(self) -> int:
        return int(self.z.shape[0]) if self.rows is None else len(self.rows)

    def each(self, work: Callable[[slice | Longs, Any], Any], chosen: Longs | None = None) -> Iterator[Any]:
        """`work(places, rows)` of blocks of all rows or of the chosen ones, on several threads, in their order."""
        step, n = max(1, _CELLS // self.z.shape[1]), len(self) if chosen is None else len(chosen)

        def one(start: int) -> Any:
            part: slice | Longs = slice(start, start + step) if chosen is None else chosen[start : start + step]
            return work(part, self.z[part] if self.rows is None else self.z[self.rows[part]])

        if n <= step:
            yield from map(one, range(0, n, step))
            return
        jobs = effective_jobs(None)
        with ThreadPoolExecutor(jobs) as pool:
            for start in range(0, n, step * jobs):  # no more results wait to be added than threads
                yield from pool.map(one, range(start, min(start + step * jobs, n), step))

    def take(self, places: Longs) -> Floats:
        """Some of the rows, dense and in double precision."""
        z = self.z[places if self.rows is None else self.rows[places]]
        return np.asarray(z.toarray() if sp.issparse(z) else z, dtype=np.float64)

    def decisions(self, w: Floats) -> Floats:
        """w.z_i + b of every row."""
        slope = w[:-1].astype(self.z.dtype)
        parts = [np.asarray(part, dtype=np.float64) for part in self.each(lambda _, z: z @ slope)]
        found: Floats = np.concatenate([*parts, np.empty(0)]) + w[-1]
        return found

    def back(self, beta: Floats) -> Floats:
        """sum_i beta_i (z_i, 1), in double precision: many large terms leave a small sum."""
        found, used = np.zeros(self.z.shape[1]), np.flatnonzero(beta).astype(np.int64)
        for part in self.each(lambda places, z: beta[places] @ z.astype(np.float64, copy=False), used):
            found += part
        return np.append(found, beta.sum())

    def curvature(self, curve: Floats) -> Floats:
        """sum_i curve_i (z_i, 1)(z_i, 1)', in single precision where its rounding is below the 1 that is added."""
        d = self.z.shape[1]
        found = np.zeros((d + 1, d + 1))
        rounding = curve.sum() * np.finfo(self.z.dtype).eps
        roots = np.sqrt(curve).astype(self.z.dtype if rounding < _ROUNDING else np.float64)

        def work(places: slice | Longs, z: Any) -> tuple[Any, Any]:
            root = roots[places]
            if sp.issparse(z):
                scaled = sp.diags_array(root) @ z
                return (scaled.T @ scaled).toarray(), root @ scaled
            scaled = z * root[:, None]
            return scaled.T @ scaled, root @ scaled

        for inner, edge in self.each(work, np.flatnonzero(curve).astype(np.int64)):
            found[:d, :d] += inner
            found[d, :d] += edge
        found[:d, d] = found[d, :d]
        found[d, d] = curve.sum()
        return found
