"""Encoders that compare rows by a kernel: KernelComponents (kernel principal components), Nystroem, RandomFeatures.

They stand among the estimators because `mercer.encode` is below `mercer.kernels`, which encodes columns itself: what
needs both a fitted kernel and the rows it compares with is made here.
"""
