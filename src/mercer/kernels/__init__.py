"""Similarities of rows, closed under sum, product and positive scale: `RBF(gamma=0.5) + 2 * Lin(on=["job",
"city"])`.
"""

from mercer.kernels.algebra import Exp, PolynomialOf, Power, Product, Scale, Sum
from mercer.kernels.base import ColumnKernel, Kernel
from mercer.kernels.categorical.base import CategoricalKernel
from mercer.kernels.categorical.goodall import Goodall1, Goodall2, Goodall3, Goodall4
from mercer.kernels.categorical.iof import IOF, OF
from mercer.kernels.categorical.lin import Lin
from mercer.kernels.categorical.overlap import Overlap
from mercer.kernels.composite import Composite
from mercer.kernels.default import default_kernel
from mercer.kernels.encoded import Encoded
from mercer.kernels.feature_space import Centre, Normalise
from mercer.kernels.mercer_condition import KernelCheck, check, check_gram, repair
from mercer.kernels.named import KERNEL, KernelLike, KernelName, as_kernel
from mercer.kernels.numeric.base import NumericKernel
from mercer.kernels.numeric.dot import Cosine, Linear, Polynomial, Sigmoid
from mercer.kernels.numeric.histogram import ChiSquared
from mercer.kernels.numeric.matern import Matern
from mercer.kernels.numeric.radial import RBF, Laplacian, RadialKernel, RationalQuadratic
from mercer.kernels.precomputed import FromCallable, Precomputed
from mercer.kernels.registry import KERNELS, register

__all__ = [
    "IOF",
    "KERNEL",
    "KERNELS",
    "OF",
    "RBF",
    "CategoricalKernel",
    "Centre",
    "ChiSquared",
    "ColumnKernel",
    "Composite",
    "Cosine",
    "Encoded",
    "Exp",
    "FromCallable",
    "Goodall1",
    "Goodall2",
    "Goodall3",
    "Goodall4",
    "Kernel",
    "KernelCheck",
    "KernelLike",
    "KernelName",
    "Laplacian",
    "Lin",
    "Linear",
    "Matern",
    "Normalise",
    "NumericKernel",
    "Overlap",
    "Polynomial",
    "PolynomialOf",
    "Power",
    "Precomputed",
    "Product",
    "RadialKernel",
    "RationalQuadratic",
    "Scale",
    "Sigmoid",
    "Sum",
    "as_kernel",
    "check",
    "check_gram",
    "default_kernel",
    "register",
    "repair",
]
