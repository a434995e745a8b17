"""Neighbour search and curves over k: what `mercer.distances` asks of the compiled half."""

from __future__ import annotations

from mercer._core import reference_neighbours, select

_impl = select.native or reference_neighbours

nearest_euclidean = _impl.nearest_euclidean
nearest_mixed = _impl.nearest_mixed
all_mixed = _impl.all_mixed
vote_curve = _impl.vote_curve
mean_curve = _impl.mean_curve
k_smallest = reference_neighbours.k_smallest
