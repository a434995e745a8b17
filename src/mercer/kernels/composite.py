"""What kernels made of kernels share: fitting the parts, and storing them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from sklearn.base import clone

from mercer.arrays import Array
from mercer.errors import BadParameter, MercerError
from mercer.kernels.base import Kernel
from mercer.parameters import check_parameters, read_parameters
from mercer.state import Reader, State
from mercer.table import Schema, Table


class Composite(Kernel):
    """A kernel whose parameters named in `part_names` are kernels; fit sets a fitted copy of each, `k1` in
    `k1_`.
    """

    part_names: ClassVar[tuple[str, ...]] = ("kernel",)
    kernel_: Kernel

    @property
    def fitted_parts(self) -> tuple[Kernel, ...]:
        return tuple(getattr(self, f"{name}_") for name in self.part_names)

    @property
    def positive(self) -> bool:
        return all(getattr(self, name).positive for name in self.part_names)

    def _fit(self, tables: Sequence[Table], weight: Array) -> None:
        for name in self.part_names:
            part = getattr(self, name)
            if not isinstance(part, Kernel):
                said = f"must be a kernel, such as RBF(). Got {part!r} instead."
                raise BadParameter(f"The {name!r} parameter of {type(self).__name__} {said}")
            fitted = clone(part)
            check_parameters(part)
            fitted._fit(tables, weight)
            setattr(self, f"{name}_", fitted)
        self._join_schemas()

    def _join_schemas(self) -> None:
        columns = {column.name: column for part in self.fitted_parts for column in part.schema_}
        self.schema_ = Schema(tuple(columns.values()), named=self.fitted_parts[0].schema_.named)

    def _learned(self) -> State:
        return {"parts": [part.to_state() for part in self.fitted_parts]}

    @classmethod
    def _from_state(cls, state: Reader) -> Kernel:
        learned = state.child("learned")
        parts = [Kernel.from_state(reader) for reader in learned.children("parts")]
        if len(parts) != len(cls.part_names):
            raise MercerError(f"{learned.where}.parts: expected {len(cls.part_names)} kernels, found {len(parts)}.")
        plain: dict[str, Any] = {name: clone(part) for name, part in zip(cls.part_names, parts, strict=True)}
        kernel = cls(**plain, **read_parameters(state.child("parameters"), cls.parameters))
        for name, part in zip(cls.part_names, parts, strict=True):
            setattr(kernel, f"{name}_", part)
        kernel._join_schemas()
        kernel._restore(learned)
        learned.finish()
        return kernel

    def _restore(self, state: Reader) -> None:
        """Nothing beyond the parts."""

    def _part_repr(self, name: str, *loose: str) -> str:
        """A part as text, in brackets when it is one of the kernels named, which bind less."""
        part = getattr(self, name)
        return f"({part!r})" if type(part).__name__ in loose else repr(part)
