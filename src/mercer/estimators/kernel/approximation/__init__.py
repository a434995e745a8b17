"""Kernels of low rank: k(a, b) close to z(a).z(b), so that linear solvers do the work of kernel machines on many rows.

1. `choose` picks landmarks among the training rows, `landmarks` makes z from them (Nystroem).
2. `features` is z of random draws (`mercer.kernels.maps`).
3. `error` measures on rows how far z(a).z(b) is from k(a, b).
"""
