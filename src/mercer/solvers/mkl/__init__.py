"""Weights of several kernels: one file a method, on Gram matrices and support vector machines of their sum.

- `grams.py`: `Grams`, m matrices over the same rows in blocks: sums, products and moments of them.
- `alignment.py`: weights by likeness to the target alone (align, alignf).
- `easy.py`: weights by the margin of each kernel (EasyMKL).
- `machines.py`: the machines of a weighted sum, and bounds on the best sum; `simple.py` and `norm.py` minimise over
  weights whose sum, or whose p-norm, is 1.
- `solution.py`: what each of them gives.
"""
