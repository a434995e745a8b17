"""Distances known only by their values: functions, kernels, precomputed matrices and graphs."""
