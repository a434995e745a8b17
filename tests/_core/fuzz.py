"""Arguments for every native function: sound ones, and sound ones with a part spoiled."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from mercer._core.select import native

ODD_NUMBERS = (np.nan, np.inf, -np.inf, 0.0, -0.0, 1e300, -1e300, 1e-320, 3.5e38)
ODD_INTEGERS = (0, -1, 1, 2, 7, 100_003, -(2**31), 2**40, 2**62, -(2**63), 2**63 - 1)
ODD_OBJECTS = (None, "text", [1, 2], {}, 1.5, True, b"bytes", object())
KERNELS = range(6)


class Draw:
    """Random sizes, arrays and settings from one seed."""

    def __init__(self, seed: int) -> None:
        self.rng = np.random.default_rng(seed)
        self.dtype: type = self.pick(np.float32, np.float64)
        self.odd = self.rng.random() < 0.3  # cells that are no ordinary numbers

    def pick(self, *choices: Any) -> Any:
        return choices[self.rng.integers(len(choices))]

    def size(self, least: int = 0) -> int:
        return max(least, int(self.pick(0, 1, 2, 3, 5, 17, 40, 70, 600 if self.rng.random() < 0.1 else 9)))

    def few(self, least: int = 0) -> int:
        return max(least, int(self.pick(0, 1, 2, 3, 4)))

    def jobs(self) -> int:
        return int(self.pick(1, 2, 3, 0, -1, 2**31 - 1))

    def numbers(self, *shape: int, dtype: Any = np.float64) -> Any:
        out = self.rng.normal(size=shape) * self.pick(1.0, 1.0, 100.0)
        if self.odd and out.size:
            out[self.rng.random(shape) < 0.05] = self.pick(*ODD_NUMBERS)
        return self.layout(out.astype(dtype))

    def codes(self, *shape: int, levels: int = 3, least: int = -1) -> Any:
        high = max(levels, least + 1)
        out = self.rng.integers(least, high, size=shape).astype(np.int32)
        if self.odd and out.size and self.rng.random() < 0.5:
            out.flat[self.rng.integers(out.size)] = self.pick(-2, levels, 2**31 - 1, -(2**31))
        return out

    def layout(self, x: Any) -> Any:
        """The same values, now and then in another order of memory."""
        return np.asfortranarray(x) if x.ndim == 2 and self.rng.random() < 0.1 else x

    def bounds(self, n: int) -> tuple[Any, Any, Any]:
        """Lower and upper bounds of coefficients, and a start between them."""
        upper = np.abs(self.numbers(n)) * self.pick(1.0, 0.0, 1.0, np.inf if self.odd else 1.0)
        lower = -upper * self.pick(1.0, 0.0)
        return lower, upper, np.zeros(n)

    def offsets(self, levels: list[int]) -> Any:
        return np.concatenate([[0], np.cumsum(levels)]).astype(np.int64)

    def csr(self, rows: int, columns: int) -> dict[str, Any]:
        lengths = self.rng.integers(0, columns + 1, size=rows)
        starts = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
        inside = [np.sort(self.rng.permutation(columns)[:k]) for k in lengths]
        flat = np.concatenate([*inside, np.empty(0)]).astype(np.int32)
        values = self.numbers(len(flat), dtype=self.dtype)
        return {"values": values, "columns": flat, "starts": starts, "n_columns": columns}

    def function(self, n: int | None = None, *, square: bool = False) -> Any:
        """A kernel handle over few rows."""
        a = np.ascontiguousarray(self.numbers(self.size() if n is None else n, self.few(), dtype=self.dtype))
        b = a if square else self.rng.normal(size=(self.size(), a.shape[1])).astype(self.dtype)
        gamma = float(self.pick(0.5, 1.0, 0.0, *ODD_NUMBERS[:2]))
        return native.kernel_function(a, b, self.spec(gamma)), len(a), len(b)

    def spec(self, gamma: float = 0.5, coef0: float = 0.5, degree: float = 2.0) -> dict[str, Any]:
        """A kernel and its parameters."""
        return {"code": int(self.pick(*KERNELS)), "gamma": gamma, "coef0": coef0, "degree": degree}

    def limits(self, max_iter: int = -1) -> dict[str, Any]:
        """When a solver stops."""
        gap_tol, time_limit = float(self.pick(0.0, 1e-2)), float(self.pick(0.0, 0.0, 1e-6))
        return {"tol": 1e-3, "gap_tol": gap_tol, "max_iter": max_iter, "time_limit": time_limit}

    def problem(self, n: int) -> dict[str, Any]:
        """A dual problem of n variables, one group or two."""
        lower, upper, start = self.bounds(n)
        tube, ridge = self.pick(None, np.abs(self.numbers(n))), self.pick(None, np.abs(self.numbers(n)))
        rows = self.pick(None, None, self.codes(n, levels=n, least=0))
        return {
            "linear": self.numbers(n), "lower": lower, "upper": upper, "start": start, "tube": tube, "ridge": ridge,
            "rows": rows, "split": int(self.pick(0, 0, n // 2)), "equality": bool(self.pick(True, False)),
        }  # fmt: skip

    def source(self, n: int) -> Any:
        """Kernel rows: a matrix in memory, or a cache that computes them."""
        if n == 0 or self.rng.random() < 0.5:
            x = self.numbers(n, 3)
            return native.gram_rows(np.ascontiguousarray((x @ x.T).astype(self.dtype)))
        handle, *_ = self.function(n, square=True)
        return native.function_rows(handle, n * 8 * int(self.pick(2, 5, 1000)))


def spoil(draw: Draw, args: list[Any]) -> list[Any]:
    """One argument replaced by something near it or by something absurd."""
    place = int(draw.rng.integers(len(args)))
    old = args[place]
    if draw.rng.random() < 0.15:
        new: Any = draw.pick(*ODD_OBJECTS)
    elif isinstance(old, np.ndarray):
        new = spoil_array(draw, old)
    elif isinstance(old, bool):
        new = not old
    elif isinstance(old, int):
        new = draw.pick(*ODD_INTEGERS)
    elif isinstance(old, float):
        new = float(draw.pick(*ODD_NUMBERS, -1.0))
    elif isinstance(old, dict):
        new = spoil_entry(draw, old)
    else:
        new = draw.pick(*ODD_OBJECTS)
    return [*args[:place], new, *args[place + 1 :]]


def spoil_array(draw: Draw, x: Any) -> Any:
    ways: list[Callable[[], Any]] = [
        lambda: x.astype(draw.pick(np.float32, np.float64, np.int8, np.int32, np.int64, np.complex128, bool)),
        lambda: x[:-1],
        lambda: x[:0],
        lambda: np.concatenate([x, x]),
        lambda: x[::2],
        lambda: x[::-1],
        lambda: x[..., None],
        lambda: x.reshape(-1),
        lambda: np.asfortranarray(np.broadcast_to(x, x.shape)),
        lambda: np.lib.stride_tricks.as_strided(x, x.shape, (0,) * x.ndim, writeable=False),
        lambda: _poke(draw, x),
        lambda: _poke(draw, x),
        lambda: _poke(draw, x),
    ]
    return draw.pick(*ways)()


def _poke(draw: Draw, x: Any) -> Any:
    """One cell changed for an extreme one of its type; there is none for a truth."""
    out = x.copy()
    if out.size == 0 or out.dtype.kind == "b":
        return out
    odd = (
        ODD_NUMBERS
        if out.dtype.kind in "fc"
        else [k for k in ODD_INTEGERS if np.can_cast(np.min_scalar_type(k), out.dtype)]
    )
    out.flat[draw.rng.integers(out.size)] = draw.pick(*odd)
    return out


def spoil_entry(draw: Draw, given: dict[str, Any]) -> dict[str, Any]:
    out = dict(given)
    if not out:
        return out
    name = draw.pick(*out)
    if draw.rng.random() < 0.1:
        del out[name]
    else:
        out[name] = spoil(draw, [out[name]])[0]
    return out
