"""Similarities of rows, closed under sum, product and positive scale: `RBF(gamma=0.5) + 2 * Lin(on=["job",
"city"])`.
"""

from mercer.kernels.algebra import Exp, PolynomialOf, Power, Product, Scale, Sum
from mercer.kernels.base import ColumnKernel, Kernel
from mercer.kernels.categorical import CodedKernel
from mercer.kernels.composite import Composite
from mercer.kernels.condition import KernelCheck, check, check_gram, repair
from mercer.kernels.default import default_kernel
from mercer.kernels.dot import Cosine, Linear, Polynomial, Sigmoid
from mercer.kernels.encoded import Encoded
from mercer.kernels.goodall import Goodall1, Goodall2, Goodall3, Goodall4
from mercer.kernels.histogram import ChiSquared
from mercer.kernels.iof import IOF, OF
from mercer.kernels.lin import Lin
from mercer.kernels.matern import Matern
from mercer.kernels.named import KERNEL, KernelLike, KernelName, as_kernel
from mercer.kernels.normal import Centre, Normalise
from mercer.kernels.numeric import NumericKernel
from mercer.kernels.overlap import Overlap
from mercer.kernels.precomputed import FromCallable, Precomputed
from mercer.kernels.radial import RBF, Laplacian, RadialKernel, RationalQuadratic
from mercer.kernels.registry import KERNELS, register

__all__ = [
    "IOF",
    "KERNEL",
    "KERNELS",
    "OF",
    "RBF",
    "Centre",
    "ChiSquared",
    "CodedKernel",
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
