"""Similarities of rows, closed under sum, product and positive scale: `RBF(gamma=0.5) + 2 * Lin(on=["job", "city"])`.

A kernel k(a, b) says how alike two rows are. `fit` learns from a table what the formula needs, `gram` compares all
pairs of rows, `diag` each row with itself, and `product` multiplies a Gram matrix with coefficients without holding it.
Kernels are scikit-learn objects: `clone`, `get_params`, `set_params(k1__gamma=...)`.

The files, from what all kernels share to what is made of it:

- `base.py`: `Kernel` (fit, gram, diag, product, the operators + * **, storage).
- `registry.py`: the kernels that a model file may name.
- `numeric/`: formulas on numbers. `base.py` takes numbers from a table and refuses what is none; `dot.py` (Linear,
  Polynomial, Sigmoid, Cosine), `radial.py` (RBF, RationalQuadratic, Laplacian), `matern.py`, `periodic.py`,
  `spline.py`, `arc_cosine.py`, `histogram.py` (ChiSquared and Hellinger, on counts), `monomials.py` (the map of
  Polynomial); `gamma.py` has the width that several share, `pairwise.py` their products and distances.
- `categorical/`: similarities of levels learned from their frequencies (Yao, Table 3.1): `overlap.py`, `iof.py` (IOF,
  OF), `lin.py`, `goodall.py`; `diffusion.py`, and levels with a structure in `levels.py` (GraphDiffusion, LevelTree).
- `mixed/`: on columns of any kind: `clinical.py`, `columns.py` (Additive, ANOVA: a kernel column by column, weighed),
  `proximity.py` (leaves of a forest).
- `text/`: formulas on texts. `base.py` has what they share; `grams.py` (Spectrum, Mismatch), `subsequence.py`,
  `edit.py` (EditDistance), `words.py`.
- `composite.py`: what kernels made of kernels share; `algebra.py` (Sum, Product, Scale, Power, PolynomialOf, Exp),
  `feature_space.py` (Normalise, Centre), `encoded.py` (a numeric kernel on any table).
- `multiple/`: `MultipleKernel`, a sum of kernels whose weights are learned from the target.
- `precomputed.py`: Gram matrices and functions of others.
- `default.py`: the kernel of a mixed table when none is named; `named.py`: what "rbf" and other names mean, and
  `KERNEL`, the declared parameter of estimators that take a kernel.
- `mercer_condition.py`: whether Gram matrices are positive semi-definite, and what to do when they are not.
- `nested_gamma.py`: every gamma inside a kernel times a factor, for searches.

A call of `gram(a, b)`: `Kernel.gram` brings a and b to the schema of fit (`_conform`), then `_gram` of the class runs:
a numeric kernel takes its numbers (`rows`) and calls `compare`, which is a compiled formula (`mercer._core.gram`) where
there is one; a categorical kernel takes codes and adds up table entries in `mercer._core.codes_gram`; a composite asks
its parts. To add a kernel see docs/add-a-kernel.md.
"""

from mercer.kernels.algebra import Exp, PolynomialOf, Power, Product, Scale, Sum
from mercer.kernels.base import Kernel
from mercer.kernels.categorical.base import CategoricalKernel
from mercer.kernels.categorical.diffusion import Diffusion
from mercer.kernels.categorical.goodall import Goodall1, Goodall2, Goodall3, Goodall4
from mercer.kernels.categorical.iof import IOF, OF
from mercer.kernels.categorical.levels import GraphDiffusion, LevelTree
from mercer.kernels.categorical.lin import Lin
from mercer.kernels.categorical.overlap import Overlap
from mercer.kernels.composite import Composite
from mercer.kernels.default import default_kernel
from mercer.kernels.encoded import Encoded
from mercer.kernels.feature_space import Centre, Normalise
from mercer.kernels.mercer_condition import KernelCheck, check, check_gram, repair
from mercer.kernels.mixed.clinical import Clinical
from mercer.kernels.mixed.columns import ANOVA, Additive, aligned
from mercer.kernels.mixed.proximity import Proximity
from mercer.kernels.multiple.kernel import MultipleKernel
from mercer.kernels.named import KERNEL, KernelLike, KernelName, as_kernel
from mercer.kernels.numeric.arc_cosine import ArcCosine
from mercer.kernels.numeric.base import NumericKernel
from mercer.kernels.numeric.dot import Cosine, Linear, Polynomial, Sigmoid
from mercer.kernels.numeric.histogram import ChiSquared, Hellinger
from mercer.kernels.numeric.matern import Matern
from mercer.kernels.numeric.monomials import polynomial_map
from mercer.kernels.numeric.periodic import Periodic
from mercer.kernels.numeric.radial import RBF, Laplacian, RadialKernel, RationalQuadratic
from mercer.kernels.numeric.spline import Spline
from mercer.kernels.precomputed import FromCallable, Precomputed
from mercer.kernels.registry import KERNELS, register
from mercer.kernels.text.base import StringKernel, TextKernel
from mercer.kernels.text.edit import EditDistance
from mercer.kernels.text.grams import Mismatch, Spectrum
from mercer.kernels.text.subsequence import Subsequence
from mercer.kernels.text.words import Words

__all__ = [
    "ANOVA",
    "IOF",
    "KERNEL",
    "KERNELS",
    "OF",
    "RBF",
    "Additive",
    "ArcCosine",
    "CategoricalKernel",
    "Centre",
    "ChiSquared",
    "Clinical",
    "Composite",
    "Cosine",
    "Diffusion",
    "EditDistance",
    "Encoded",
    "Exp",
    "FromCallable",
    "Goodall1",
    "Goodall2",
    "Goodall3",
    "Goodall4",
    "GraphDiffusion",
    "Hellinger",
    "Kernel",
    "KernelCheck",
    "KernelLike",
    "KernelName",
    "Laplacian",
    "LevelTree",
    "Lin",
    "Linear",
    "Matern",
    "Mismatch",
    "MultipleKernel",
    "Normalise",
    "NumericKernel",
    "Overlap",
    "Periodic",
    "Polynomial",
    "PolynomialOf",
    "Power",
    "Precomputed",
    "Product",
    "Proximity",
    "RadialKernel",
    "RationalQuadratic",
    "Scale",
    "Sigmoid",
    "Spectrum",
    "Spline",
    "StringKernel",
    "Subsequence",
    "Sum",
    "TextKernel",
    "Words",
    "aligned",
    "as_kernel",
    "check",
    "check_gram",
    "default_kernel",
    "polynomial_map",
    "register",
    "repair",
]
