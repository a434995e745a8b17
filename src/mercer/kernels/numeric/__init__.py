"""Kernels on numbers: of dot products (`dot`), of distances (`radial`, `matern`), on counts (`histogram`)."""
