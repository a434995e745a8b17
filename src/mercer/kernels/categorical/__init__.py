"""Kernels on categories: similarities of levels learned from how often each occurs (Yao, Table 3.1)."""
