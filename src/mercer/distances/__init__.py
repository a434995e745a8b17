"""How unlike two rows are, and which rows are nearest."""

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
    "Neighbours",
    "PowerDistance",
    "PrecomputedDistance",
    "Search",
    "SquaredEuclidean",
    "SumDistance",
    "as_distance",
    "make_search",
]
