"""Types of arrays, named once: an annotation says what the numbers are, a comment beside it the shape."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Array: TypeAlias = NDArray[Any]  # float32 or float64
Floats: TypeAlias = NDArray[np.float64]
Ints: TypeAlias = NDArray[np.int32]  # class codes, level codes, fold numbers
Longs: TypeAlias = NDArray[np.int64]  # row numbers
Bools: TypeAlias = NDArray[np.bool_]
