"""Kernels on text: of characters (`grams`, `subsequence`, `edit`) and of words (`words`)."""
