"""What the parameter `code` may be: the name of a design, or the code itself."""

from __future__ import annotations

from typing import Any

import numpy as np

from mercer.estimators.multiclass.designs import Design
from mercer.parameters import Choice, Either
from mercer.state import Reader


class CodeArray:
    """A table of +1, -1 and 0, read back as an array; `fit` holds it against the classes."""

    def accepts(self, value: Any) -> bool:
        return isinstance(value, list | tuple | np.ndarray) and np.ndim(value) == 2

    def write(self, value: Any) -> Any:
        return np.asarray(value, dtype=np.float64)

    def read(self, state: Reader, name: str) -> Any:
        return state.array(name, "float64", (None, None), low=-1, high=1)

    def __str__(self) -> str:
        return "a table of +1, -1 and 0, a row for each class"


CODE = Either(Choice(Design), CodeArray())
