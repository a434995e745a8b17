"""Encoders that compare rows by a kernel: KernelComponents (kernel principal components), Nystroem, RandomFeatures.

`kernel_components.py`: `_learn` fits the kernel to the columns that `on` selects, `_decompose` centres its matrix over
the training rows and keeps the leading eigenvectors, and `_apply` projects other rows on them, as columns beside those
that were not selected.

They stand among the estimators because `mercer.encode` is below `mercer.kernels`, which encodes columns itself: what
needs both a fitted kernel and the rows it compares with is made here.
"""
