"""What a parameter is, and what has declared ones."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Protocol, TypeAlias

from mercer.state import Reader


class Parameter(Protocol):
    """One parameter: which values it accepts (`str` of it says them in words), and how they are stored."""

    def accepts(self, value: Any) -> bool: ...

    def write(self, value: Any) -> Any: ...

    def read(self, state: Reader, name: str) -> Any: ...


Parameters: TypeAlias = Mapping[str, Parameter]


class HasParameters(Protocol):
    """What has declared parameters and keeps them as attributes of the same names."""

    parameters: ClassVar[Parameters]
