"""The penalty of a plane, its products with the rows of a long matrix by blocks on several threads, and the system of a
step."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.linalg as sl
import scipy.sparse as sp

from mercer._core.threads import effective_jobs
from mercer.arrays import Bools, Floats, Ints, Longs

_ROUNDING = 0.1
_CELLS = 1 << 22  # of rows gathered at a time
_COPIED = (
    1 << 24
)  # cells of rows that are gathered once, 64 MB in single precision: then every product reads them in order


@dataclass(frozen=True)
class Penalty:
    """1/2 |w|^2 + 1/2 rho b^2 of (w, b); rho is infinite for no offset."""

    width: int
    rho: float

    @property
    def ridge(self) -> Floats:
        """(width + 1,); infinite where there is no offset."""
        return np.append(np.ones(self.width), self.rho)

    @property
    def free(self) -> Bools:
        """Which entries are not always 0."""
        return np.isfinite(self.ridge)

    @property
    def plain(self) -> Floats:
        """The same with 0 where there is no offset."""
        return np.where(self.free, self.ridge, 0.0)

    def value(self, w: Floats) -> float:
        """At w, b behind it."""
        return 0.5 * float(self.plain @ w**2)

    def dual(self, own: Floats) -> float:
        """Its part of the dual value, for own = sum_i beta_i (z_i, 1)."""
        bound = (self.ridge > 0) & self.free
        return -0.5 * float((own[bound] ** 2 / self.ridge[bound]).sum())

    def slope(self, w: Floats, own: Floats) -> Floats:
        """The first derivative of P at w, for own = sum_i beta_i (z_i, 1) there."""
        return np.where(self.free, self.plain * w - own, 0.0)

    def plane(self, own: Floats) -> Floats:
        """The w that belongs to own = sum_i beta_i (z_i, 1); an offset without a penalty is set to its entry."""
        return np.asarray(own / np.where(self.ridge > 0, self.ridge, 1.0))


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


def solve_scaled(matrix: Floats, right: Floats) -> Floats:
    """matrix^-1 right of a positive definite matrix, in units that make its diagonal 1; by least squares where rounding
    made it singular."""
    unit = np.sqrt(np.maximum(np.diag(matrix), 1e-300))
    scaled, given = matrix / np.outer(unit, unit), (right.T / unit).T
    try:
        found = sl.cho_solve(sl.cho_factor(scaled), given)
    except sl.LinAlgError:
        found = np.linalg.lstsq(scaled, given, rcond=None)[0]
    return np.asarray((found.T / unit).T)
