"""A fitted kernel written as a formula, with its parameters in it and notes on its parts."""

from __future__ import annotations

from dataclasses import dataclass

from mercer.formatting import formula
from mercer.kernels import RBF, Encoded, Kernel, Linear, MultipleKernel, Normalise, Polynomial, Sigmoid
from mercer.kernels.algebra import Exp, PolynomialOf, Power, Product, Scale, Sum

_SCALING = {
    "standard": "standardised (less the mean, over the standard deviation)",
    "robust": "standardised (robustly where a few cells are far from the others)",
    "minmax": "scaled to the range 0 to 1",
    "none": "as they are",
}

_SHOWN = 8  # weights of kernels that a note lists


@dataclass(frozen=True, slots=True)
class KernelFormula:
    """k(a, b) in one line, notes on its parts, gamma when all parts share one, and the Python expression of it."""

    formula: str
    notes: list[str]
    gamma: float | None
    expression: str


def kernel_formula(kernel: Kernel) -> KernelFormula:
    """The formula of a fitted kernel."""
    notes: list[str] = []
    text = _text(kernel, notes)
    gammas = {float(k.gamma_) for k in leaves(kernel) if hasattr(k, "gamma_")}
    return KernelFormula(text, list(dict.fromkeys(notes)), gammas.pop() if len(gammas) == 1 else None, repr(kernel))


def leaves(kernel: Kernel) -> list[Kernel]:
    """The kernels that a kernel is made of and that are not made of others, from left to right."""
    parts: tuple[Kernel, ...] = getattr(kernel, "fitted_parts", ())
    return [leaf for part in parts for leaf in leaves(part)] if parts else [kernel]


def _text(kernel: Kernel, notes: list[str]) -> str:
    """The formula; brackets where a sum is inside a product."""
    parts: tuple[Kernel, ...] = getattr(kernel, "fitted_parts", ())
    if not parts:
        return _leaf(kernel, notes)
    if isinstance(kernel, Encoded):
        notes.append(_encoding(kernel))
    inner = [_text(part, notes) for part in parts]
    one = inner[0]
    if isinstance(kernel, Sum):
        return " + ".join(inner)
    if isinstance(kernel, MultipleKernel):
        notes.append(_weights(kernel))
        return " + ".join(f"{f:.4g} · {_bracketed(text)}" for f, text in zip(kernel._factors, inner, strict=True))
    if isinstance(kernel, Product):
        return " × ".join(_bracketed(text) for text in inner)
    if isinstance(kernel, Scale):
        return f"{kernel.factor:.4g} · {_bracketed(one)}"
    if isinstance(kernel, Power):
        return f"[{one}]^{kernel.degree}"
    if isinstance(kernel, Exp):
        return f"exp({one})"
    if isinstance(kernel, PolynomialOf):
        return " + ".join(f"{c:.4g} · [{one}]^{i}" for i, c in enumerate(kernel.coefficients) if c)
    if isinstance(kernel, Normalise):
        notes.append("⟨k⟩: normalised, k(a, b) / √(k(a, a) k(b, b)).")
        return f"⟨{one}⟩"
    return one if isinstance(kernel, Encoded) else f"{type(kernel).__name__}[{', '.join(inner)}]"


def _bracketed(text: str) -> str:
    return f"({text})" if " + " in text and not text.startswith(("exp(", "⟨")) else text


def _leaf(kernel: Kernel, notes: list[str]) -> str:
    gamma = f"{kernel.gamma_:.4g}" if hasattr(kernel, "gamma_") else ""
    if isinstance(kernel, RBF):
        return f"exp(−{gamma} |a − b|²)"
    if isinstance(kernel, Linear):
        return "a · b"
    if isinstance(kernel, Polynomial):
        return f"({gamma} a · b + {kernel.coef0:.4g})^{kernel.degree}"
    if isinstance(kernel, Sigmoid):
        return f"tanh({gamma} a · b + {kernel.coef0:.4g})"
    name = type(kernel).__name__
    width = len(kernel.schema_) if hasattr(kernel, "schema_") else 0
    columns = f", over {width} {'column' if width == 1 else 'columns'}" if width else ""
    notes.append(f"{name}: {formula(kernel)}{f', gamma = {gamma}' if gamma else ''}{columns}.")
    return f"{name}(a, b)"


def _weights(kernel: MultipleKernel) -> str:
    largest = kernel.largest_weights(_SHOWN)
    more = len(kernel.kernels_) - len(largest)
    listed = ", ".join(f"{name} {weight:.3g}" for name, weight in largest.items())
    return (
        f"Weights of {len(kernel.names_)} kernels, each over its size on the training rows, learned by "
        f"{kernel.method!r}: {listed}{f' and {more} more' if more else ''}; the others 0."
    )


def _encoding(kernel: Encoded) -> str:
    numbers = f"a, b: numeric columns {_SCALING[kernel.scaling]}, missing values as the {kernel.missing}"
    return numbers + ("; one indicator column (0 or 1) per level." if kernel.levels == "dummies" else ".")
