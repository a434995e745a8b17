"""A small mixed table, and every kernel with arguments that suit it."""

from __future__ import annotations

import numpy as np
import pytest

from mercer import read_table
from mercer.kernels import (
    ANOVA,
    IOF,
    OF,
    RBF,
    Additive,
    ArcCosine,
    Centre,
    ChiSquared,
    Clinical,
    Cosine,
    Diffusion,
    EditDistance,
    Encoded,
    Exp,
    FromCallable,
    Goodall1,
    Goodall2,
    Goodall3,
    Goodall4,
    GraphDiffusion,
    Hellinger,
    Laplacian,
    LevelTree,
    Lin,
    Linear,
    Matern,
    Mismatch,
    MultipleKernel,
    Normalise,
    Overlap,
    Periodic,
    Polynomial,
    PolynomialOf,
    Power,
    Precomputed,
    Product,
    Proximity,
    RationalQuadratic,
    Scale,
    Sigmoid,
    Spectrum,
    Spline,
    Subsequence,
    Sum,
    Words,
)
from mercer.kernels.precomputed import KernelFunction


def _smaller(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return np.minimum(a[:, None], b[None, :]).sum(axis=2)


class _Forest:
    """Two trees of three leaves."""

    def apply(self, rows: np.ndarray) -> np.ndarray:
        cuts = np.asarray(rows)[:, :2].astype(float)
        return np.column_stack([np.digitize(cuts[:, 0], [30, 45]), np.digitize(cuts[:, 1], [2, 5])])

    def __repr__(self) -> str:
        return "forest"


def _function() -> KernelFunction:
    return _smaller


@pytest.fixture
def every_kernel():
    """One or more of each registered kernel but Precomputed, which takes a Gram matrix for a table."""
    numeric = [
        Linear(), Polynomial(coef0=1.0, degree=2), Sigmoid(coef0=-0.5), Cosine(), RBF(), RBF(sigma=2.0),
        Laplacian(), Matern(0.5), Matern(1.5), Matern(2.5), Matern(0.8), Matern(np.inf), RationalQuadratic(0.7, 2.0),
        ChiSquared("auto"),
        Hellinger(), Periodic(period=7.0), Encoded(Spline(), scaling="minmax"), Spline(on=["pay"]), ArcCosine(0),
        ArcCosine(1), ArcCosine(2),
    ]  # fmt: skip
    categorical = [
        k(m) for k in (Overlap, IOF, OF, Lin, Goodall1, Goodall2, Goodall3, Goodall4) for m in ("level", "ignore")
    ]
    structured = [
        Diffusion(), GraphDiffusion([["Oslo", "Rome"], ["Rome", "Bonn"], ["Bonn", "clerk"]]),
        LevelTree(separator=None), LevelTree(parents={"clerk": "office", "sales": "office"}, missing="ignore"),
        Clinical(), Clinical("ignore"), Additive(Encoded(RBF()), (1.0, 0.0, 2.0, 1.0)), Additive(Overlap()),
        ANOVA(RBF(), 2), ANOVA(Overlap() * Overlap(), 1), Proximity(_Forest()),
    ]  # fmt: skip
    text = [
        Spectrum(p=2), Spectrum(p=3, normalised=False), Mismatch(p=3, m=1), Mismatch(p=2, m=1, normalised=False),
        Subsequence(p=2), Subsequence(p=3, decay=0.9, missing="ignore"), EditDistance(),
        EditDistance(0.2, relative=False), Words(), Words(idf=False, sublinear=True, size=4, normalised=False),
    ]  # fmt: skip
    made = [
        Sum(RBF(), Overlap()), Product(RBF(on=["age"]), Lin()), Scale(Overlap(), 0.5), Power(Goodall3(), 3),
        Exp(Overlap()), PolynomialOf(Cosine(), (1.0, 0.0, 2.0)), Normalise(Linear()), Centre(RBF() + Overlap()),
        Encoded(RBF(gamma="scale")),
        Encoded(Linear(), scaling="minmax", missing="median"), Encoded(RBF(), on=["age", "job"]),
        MultipleKernel(), MultipleKernel({"near": RBF(gamma=2.0), "alike": Lin()}, method="simple"),
        Encoded(RBF() * Overlap(), levels="keep"),
    ]  # fmt: skip
    return [*numeric, *categorical, *structured, *text, *made, FromCallable(_function())]


@pytest.fixture
def precomputed():
    return Precomputed()


@pytest.fixture
def mixed():
    """12 rows: two numeric columns without holes, two categories and two texts with them."""
    draw = np.random.default_rng(5)
    jobs = np.array(["clerk", "sales", "smith", None], dtype=object)
    return read_table(
        {
            "age": draw.uniform(20, 60, 12).round(1),
            "pay": draw.gamma(2.0, 2.0, 12).round(2),
            "job": jobs[draw.integers(0, 4, 12)],
            "city": np.array(["Oslo", "Rome", "Bonn", "Graz", None], dtype=object)[draw.integers(0, 5, 12)],
            "note": [
                "no tea", "Tea, no milk", "", None, "naïve café", "cafe", "a", "milk milk tea", None, "", "漢字", "tea"
            ],
            "name": ["Anna", "Hanna", "Otto", "An", None, "Änne", "anna", "Hannah", "Ott", "Otto", "😀😀", "A"],
        },
        kinds={"note": "text", "name": "text"},
    )  # fmt: skip
