"""Random arrays in the order in which they are drawn, kept so that a stored map uses the same ones again."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from mercer._core.memory import expect_memory
from mercer.arrays import Array, Floats
from mercer.errors import BadFile
from mercer.table import Table

FeatureMap: TypeAlias = Callable[[Table, np.dtype[Any]], Array]  # rows and float32 or float64 -> (n_rows, n_features)


@dataclass(frozen=True, slots=True)
class FiniteMap:
    """A feature map of `width` features."""

    width: int
    features: FeatureMap


class Draws:
    """Arrays drawn from a generator; or, given those of an earlier time, the same ones in the same order."""

    def __init__(self, rng: np.random.Generator | None = None, kept: Sequence[Floats] = ()) -> None:
        self._rng = rng
        self.kept: list[Floats] = list(kept)
        self._next = 0

    def take(self, shape: tuple[int, ...], draw: Callable[[np.random.Generator], Any]) -> Floats:
        """The next array, of this shape; kept as a matrix."""
        matrix = (-1, shape[-1]) if len(shape) > 1 else (1, shape[0])
        if self._rng is not None:
            size = 16.0 * math.prod(shape)  # bytes of the numbers, and once more while they are scaled
            expect_memory(size, f"{shape[-1]:,} random features take", "Lower n_components, or rank.")
            self.kept.append(np.asarray(draw(self._rng), dtype=np.float64).reshape(matrix))
        elif self._next >= len(self.kept) or self.kept[self._next].shape != (int(np.prod(shape[:-1])), shape[-1]):
            raise BadFile(f"Draw {self._next + 1} of a feature map: expected an array of shape {shape}.")
        self._next += 1
        return self.kept[self._next - 1].reshape(shape)

    def finish(self) -> None:
        """BadFile where arrays are left that no feature needed."""
        if self._next != len(self.kept):
            raise BadFile(f"A feature map needs {self._next} arrays; {len(self.kept)} are stored.")
