"""Kernels on columns of any kind: `clinical`, sums and products over columns (`columns`), leaves of a forest
(`proximity`).
"""
