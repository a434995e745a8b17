"""What kernels made of kernels share: fitting the parts, and storing them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from sklearn.base import clone

from mercer.arrays import Array
from mercer.errors import BadFile
from mercer.kernels.base import KERNEL_OBJECT, Kernel
from mercer.parameters import Parameters, check_parameters
from mercer.state import Reader, State
from mercer.table import Schema, Table


class Composite(Kernel):
    """A kernel whose parameters named in `part_names` are kernels; fit sets a fitted copy of each, `k1` in `k1_`.

    Examples
    --------
    >>> from mercer.kernels import RBF, Composite, Linear
    >>> kernel = (RBF(gamma=1.0) + Linear()).fit([[0.0], [1.0]])
    >>> isinstance(kernel, Composite), kernel.part_names, kernel.fitted_parts
    (True, ('k1', 'k2'), (RBF(gamma=1.0), Linear()))
    """

    part_names: ClassVar[tuple[str, ...]] = ("kernel",)
    parameters: ClassVar[Parameters] = {"kernel": KERNEL_OBJECT}
    kernel_: Kernel

    @property
    def fitted_parts(self) -> tuple[Kernel, ...]:
        """The fitted kernels inside."""
        return tuple(getattr(self, f"{name}_") for name in self.part_names)

    @property
    def positive(self) -> bool:
        return all(getattr(self, name).positive for name in self.part_names)

    @property
    def supervised(self) -> bool:
        return any(getattr(self, name).supervised for name in self.part_names)

    @property
    def local(self) -> bool:
        return all(getattr(self, name).local for name in self.part_names)

    def _fit_target(self, tables: Sequence[Table], weight: Array, y: Any) -> None:
        for name in self.part_names:
            fitted = clone(getattr(self, name))
            check_parameters(fitted)
            fitted._fit_target(tables, weight, y)
            setattr(self, f"{name}_", fitted)
        self.schema_ = join_schemas(self.fitted_parts)

    def _learned(self) -> State:
        return {"parts": [part.to_state() for part in self.fitted_parts]}

    def _restore(self, state: Reader) -> None:
        parts = [Kernel.from_state(reader) for reader in state.children("parts")]
        if len(parts) != len(self.part_names):
            raise BadFile(f"{state.where}.parts: expected {len(self.part_names)} kernels, found {len(parts)}.")
        for name, part in zip(self.part_names, parts, strict=True):
            setattr(self, f"{name}_", part)
        self.schema_ = join_schemas(self.fitted_parts)

    def _part_repr(self, name: str, *loose: str) -> str:
        """A part as text, in brackets when it is one of the kernels named, which bind less."""
        part = getattr(self, name)
        return f"({part!r})" if type(part).__name__ in loose else repr(part)


def join_schemas(parts: Sequence[Kernel]) -> Schema:
    """The columns that any of the fitted kernels compares."""
    first, *others = (part.schema_ for part in parts)
    columns = first.columns
    if any(other.columns != columns for other in others):
        columns = tuple({column.name: column for part in (first, *others) for column in part}.values())
    return Schema(columns, named=first.named)
