"""How unlike two rows are, and which rows are nearest.

A distance d(a, b) is fitted on a table (`fit`), turns rows into what it compares (`cells`), measures all pairs
(`between`) and finds the k nearest rows of each query (`nearest`). The files:

- `base.py`: `Distance`, the four methods above, and `Neighbours`, what `nearest` gives.
- `sum_distance.py`: `SumDistance`, distances that add up over columns, whose terms can be shown and that can be stored;
  `column_sum.py`: what each column adds (`ColumnSum`) and the rows compared (`Cells`), as compiled code takes them;
  `column_scale.py`: ranges and standard deviations of columns.
- `numeric/`: `minkowski.py` (Minkowski, Euclidean, SquaredEuclidean, Manhattan, Chebyshev), `cosine.py`,
  `haversine.py`.
- `mixed/`: numbers and levels together: `heom.py`, `hvdm.py`, `gower.py`; `hamming.py` for levels alone.
- `pairwise/`: distances of which only the values of pairs are known: `function.py`, `kernel.py`, `named_distance.py`
  (SciPy's), `precomputed.py` (with `graph.py` for sparse ones); `base.py` finds the nearest by measuring a block of
  queries at a time.
- `search.py`: a kd-tree and an HNSW graph in place of brute force.
- `named.py`: what "euclidean" and other names mean, and `METRIC`, the declared parameter of estimators.

A call of `nearest`: `SumDistance.nearest` takes cells. Where the distance orders rows as points in space do
(`_euclidean_view`), compiled code multiplies dummies (`mercer._core.neighbours.nearest_euclidean`); otherwise it adds
up terms (`nearest_mixed`). `_from_sums` makes distances of the sums.
"""

from mercer.distances.base import Distance, Neighbours
from mercer.distances.mixed.gower import Gower
from mercer.distances.mixed.hamming import Hamming
from mercer.distances.mixed.heom import HEOM
from mercer.distances.mixed.hvdm import HVDM
from mercer.distances.named import METRIC, as_distance
from mercer.distances.numeric.cosine import Cosine
from mercer.distances.numeric.haversine import Haversine
from mercer.distances.numeric.minkowski import (
    Chebyshev,
    Euclidean,
    Manhattan,
    Minkowski,
    PowerDistance,
    SquaredEuclidean,
)
from mercer.distances.pairwise.function import FunctionDistance
from mercer.distances.pairwise.kernel import KernelDistance
from mercer.distances.pairwise.named_distance import NamedDistance
from mercer.distances.pairwise.precomputed import PrecomputedDistance
from mercer.distances.search import ALGORITHMS, Search, make_search
from mercer.distances.sum_distance import SumDistance

__all__ = [
    "ALGORITHMS",
    "HEOM",
    "HVDM",
    "METRIC",
    "Chebyshev",
    "Cosine",
    "Distance",
    "Euclidean",
    "FunctionDistance",
    "Gower",
    "Hamming",
    "Haversine",
    "KernelDistance",
    "Manhattan",
    "Minkowski",
    "NamedDistance",
    "Neighbours",
    "PowerDistance",
    "PrecomputedDistance",
    "Search",
    "SquaredEuclidean",
    "SumDistance",
    "as_distance",
    "make_search",
]
