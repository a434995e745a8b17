"""The random feature map of a fitted kernel, with the draws that make it, as a model file holds them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from mercer._core.memory import expect_memory
from mercer.arrays import Array, Floats
from mercer.kernels import Kernel
from mercer.kernels.maps.build import feature_map, is_exact
from mercer.kernels.maps.draws import Draws, FeatureMap
from mercer.state import Reader, State
from mercer.table import Table

_CELLS = 1 << 23  # features computed at a time


@dataclass(frozen=True)
class RandomMap:
    """z of a fitted kernel, n_components features where they are drawn; `draws` are what was drawn, in order."""

    kernel: Kernel
    n_components: int
    orthogonal: bool
    draws: tuple[Floats, ...]
    _map: FeatureMap = field(repr=False, compare=False)

    @classmethod
    def draw(cls, kernel: Kernel, n_components: int, orthogonal: bool, rng: np.random.RandomState) -> RandomMap:
        """A new map."""
        draws = Draws(np.random.default_rng(rng.randint(2**31 - 1)))
        made = feature_map(kernel, n_components, draws, orthogonal)
        return cls(kernel, n_components, orthogonal, tuple(draws.kept), made)

    @property
    def exact(self) -> bool:
        """Whether nothing was drawn: z(a).z(b) = k(a, b)."""
        return is_exact(self.kernel)

    def features(self, table: Table, dtype: np.dtype[Any], n_jobs: int | None = None) -> Array:
        """z of every row, (n_rows, n_features), by blocks of rows."""
        size = 2.0 * dtype.itemsize * len(table) * self.n_components  # in blocks, then as one matrix
        expect_memory(
            0 if self.exact else size,
            f"{self.n_components:,} features of {len(table):,} rows take",
            "Lower n_components, or rank.",
        )
        step = max(256, _CELLS // max(self.n_components, 1))
        blocks = [self._map(self.kernel._conform(part), dtype) for part in table.chunks(step)]
        return np.vstack(blocks) if blocks else self._map(self.kernel._conform(table), dtype)

    def products(self, table: Table, coef: Floats) -> Floats:
        """z(x).coef_c of every row, (n_rows, n_coef), for coef (n_coef, n_features)."""
        step = max(256, _CELLS // max(coef.shape[1], 1))
        parts = [self.features(part, np.dtype(np.float64)) @ coef.T for part in table.chunks(step)]
        return np.vstack([*parts, np.empty((0, len(coef)))])

    def to_state(self) -> State:
        """The kernel and the draws as plain data."""
        return {
            "kernel": self.kernel.to_state(), "n_components": self.n_components, "orthogonal": self.orthogonal,
            "draws": [{"values": values} for values in self.draws],
        }  # fmt: skip

    @classmethod
    def from_state(cls, state: Reader) -> RandomMap:
        """The stored map, every value checked."""
        kernel, n = Kernel.from_state(state.child("kernel")), state.integer("n_components", 1, 2**31)
        orthogonal = state.flag("orthogonal")
        kept = [reader.array("values", "float64", (None, None)) for reader in state.children("draws")]
        return cls.drawn(kernel, n, orthogonal, tuple(kept))

    @classmethod
    def drawn(cls, kernel: Kernel, n_components: int, orthogonal: bool, kept: tuple[Floats, ...]) -> RandomMap:
        """The map of earlier draws."""
        draws = Draws(kept=kept)
        made = feature_map(kernel, n_components, draws, orthogonal)
        draws.finish()
        return cls(kernel, n_components, orthogonal, kept, made)

    def __reduce__(self) -> Any:
        """To be made again from its draws: the functions of the map itself cannot be pickled."""
        return RandomMap.drawn, (self.kernel, self.n_components, self.orthogonal, self.draws)
