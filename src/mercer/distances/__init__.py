"""How unlike two rows are, and which rows are nearest."""

from mercer.distances.base import Distance, Neighbours, SumDistance
from mercer.distances.cosine import Cosine
from mercer.distances.function import FunctionDistance
from mercer.distances.gower import Gower
from mercer.distances.hamming import Hamming
from mercer.distances.haversine import Haversine
from mercer.distances.heom import HEOM
from mercer.distances.hvdm import HVDM
from mercer.distances.kernel import KernelDistance
from mercer.distances.minkowski import Chebyshev, Euclidean, Manhattan, Minkowski, PowerDistance, SquaredEuclidean
from mercer.distances.named import METRIC, as_distance
from mercer.distances.precomputed import PrecomputedDistance
from mercer.distances.search import ALGORITHMS, Search, make_search

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
