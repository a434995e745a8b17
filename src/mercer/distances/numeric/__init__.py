"""Distances of numbers: the Minkowski family, the cosine, and places on a sphere."""
