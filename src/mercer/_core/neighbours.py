"""Neighbour search and curves over k: what `mercer.distances` asks of the compiled half."""

from __future__ import annotations

from mercer._core.reference import neighbours as twin
from mercer._core.select import compiled

nearest_euclidean = compiled(twin.nearest_euclidean)
nearest_mixed = compiled(twin.nearest_mixed)
all_mixed = compiled(twin.all_mixed)
vote_curve = compiled(twin.vote_curve)
mean_curve = compiled(twin.mean_curve)
k_smallest = twin.k_smallest
