"""Write docs/kernels.md and the pictures in docs/kernels/: every kernel's formula, picture and Mercer status.

    python tools/kernel_page.py

All of it comes from the kernels themselves: formulas and words from docstrings, pictures and eigenvalues from Gram
matrices of the small tables below. `tests/docs/test_kernels.py` fails when a kernel is missed or a file is not up to
date.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from inspect import cleandoc
from pathlib import Path

import numpy as np

from mercer import RandomForestClassifier, Table, read_table
from mercer import kernels as k

DOCS = Path(__file__).parent.parent / "docs"
GRID = np.linspace(-3, 3, 61)
ANCHORS = (-1.5, 0.0, 2.0)
JOBS = ["sales"] * 8 + ["clerk"] * 4 + ["smith"] * 2 + ["baker"]
NAMES = ["Anna", "Hanna", "Johanna", "Johann", "Otto", "Lotto"]
NOTES = ["tea, no milk", "no tea", "milk and tea", "black coffee", "coffee, no milk"]
PATIENTS = {
    "age": [25.0, 31.0, 58.0, 64.0, 70.0],
    "stage": ["I", "II", "II", "III", "III"],
    "sex": ["f", "m", "f", "f", "m"],
}
STAGES = ["I", "II", "III"]
COLOURS = ("#1f5fa8", "#c2571a", "#3c8d40")


@dataclass(frozen=True)
class Example:
    """A kernel, the rows that it is fitted to, and the rows of the picture with their names; a curve has none."""

    kernel: k.Kernel
    fitted: Table
    shown: Table
    names: Sequence[str] = ()


def _curve(kernel: k.Kernel, grid: np.ndarray = GRID) -> Example:
    table = read_table({"x": grid})
    return Example(kernel, table, table)


def _levels(kernel: k.Kernel, levels: Sequence[str] = JOBS) -> Example:
    distinct = list(dict.fromkeys(levels))
    fitted = read_table({"level": list(levels)}, kinds={"level": "category"})
    return Example(kernel, fitted, fitted.take(np.array([list(levels).index(name) for name in distinct])), distinct)


def _texts(kernel: k.Kernel, texts: Sequence[str] = NAMES) -> Example:
    table = read_table({"text": list(texts)}, kinds={"text": "text"})
    return Example(kernel, table, table, texts)


def _patients(kernel: k.Kernel) -> Example:
    table = read_table(PATIENTS, kinds={"stage": STAGES, "sex": "category"})
    names = [
        ", ".join(f"{v:g}" if isinstance(v, float) else v for v in row) for row in zip(*PATIENTS.values(), strict=True)
    ]
    return Example(kernel, table, table, names)


def _forest() -> RandomForestClassifier:
    table = read_table(PATIENTS, kinds={"stage": STAGES, "sex": "category"})
    return RandomForestClassifier(50, random_state=0).fit(table, [0, 0, 0, 1, 1])


def _given() -> Example:
    gram = read_table(np.array([[1.0, 0.8, 0.1], [0.8, 1.0, 0.3], [0.1, 0.3, 1.0]]))
    return Example(k.Precomputed(), gram, gram, ["a", "b", "c"])


def _smaller(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return np.minimum(a, b.T)


def groups() -> dict[str, list[Example]]:
    """Every kernel by the columns that it compares."""
    counts = np.linspace(0, 6, 61)
    breeds = ["animal/dog/poodle", "animal/dog/collie", "animal/cat", "plant/rose", "plant/oak"]
    lands = ["Spain", "France", "Italy", "Japan"]
    measures = (k.Overlap, k.IOF, k.OF, k.Lin, k.Goodall1, k.Goodall2, k.Goodall3, k.Goodall4)
    return {
        "On numbers": [
            _curve(k.Linear()), _curve(k.Polynomial(1.0, 1.0, 2)), _curve(k.Sigmoid(1.0, -0.5)), _curve(k.Cosine()),
            _curve(k.RBF(0.5)), _curve(k.Laplacian(0.7)), _curve(k.RationalQuadratic()), _curve(k.Matern(1.5)),
            _curve(k.Periodic(2.5)), _curve(k.Spline(), GRID / 6 + 0.5), _curve(k.ArcCosine(1)),
            _curve(k.ChiSquared(), counts), _curve(k.Hellinger(1.0), counts),
        ],
        "On categories": [
            *(_levels(measure()) for measure in measures), _levels(k.Diffusion(0.3)),
            _levels(k.GraphDiffusion([["Spain", "France"], ["France", "Italy"]]), lands),
            _levels(k.LevelTree(), breeds),
        ],
        "On text": [
            _texts(k.Spectrum(2)), _texts(k.Mismatch(3, 1)), _texts(k.Subsequence(2)), _texts(k.EditDistance()),
            _texts(k.Words(), NOTES),
        ],
        "On columns of any kind": [
            _patients(k.Clinical()), _patients(k.Additive(k.Encoded(k.RBF(0.5)))),
            _patients(k.ANOVA(k.Encoded(k.RBF(0.5)), 2)), _patients(k.Proximity(_forest())),
            _patients(k.Encoded(k.RBF(0.2))), _patients(k.MultipleKernel()),
        ],
        "Made of other kernels": [
            _curve(k.RBF(2.0) + 0.2 * k.Linear()), _curve(k.RBF(0.1) * k.Periodic(1.5)), _curve(0.5 * k.RBF(0.5)),
            _curve(k.Linear() ** 2), _curve(k.PolynomialOf(k.RBF(0.5), (0.5, 0.0, 1.0))),
            _curve(k.Exp(0.2 * k.Linear())),
            _curve(k.Normalise(k.Polynomial(1.0, 1.0, 2))), _curve(k.Centre(k.RBF(0.5))),
        ],
        "Given": [_given(), _curve(k.FromCallable(_smaller), GRID + 3)],
    }  # fmt: skip


def files() -> dict[Path, str]:
    """What the page and each picture should hold."""
    found: dict[Path, str] = {}
    lines = [
        "# Kernels", "",
        "Generated by `python tools/kernel_page.py`. A curve shows k(a, b) over b for three a (dots); a matrix shows",
        "k of every pair of rows, dark for alike. Mercer's condition: every Gram matrix is positive semi-definite.",
        "Where that is no theorem, `mercer.kernels.check(kernel, table)` measures it on a table.",
        "[Add a kernel in 30 lines](add-a-kernel.md).", "",
    ]  # fmt: skip
    for title, examples in groups().items():
        lines += [f"## {title}", "", "| kernel | formula | Mercer's condition | picture |", "|---|---|---|---|"]
        for example in examples:
            name = type(example.kernel).__name__
            found[DOCS / "kernels" / f"{name}.svg"] = picture(example)
            words = " | ".join([f"**{name}**", _cell(formula(type(example.kernel))), status(example)])
            lines.append(f"| {words} | ![{name}](kernels/{name}.svg) `{_cell(_shown(example.kernel))}` |")
        lines.append("")
    return {DOCS / "kernels.md": "\n".join(lines), **found}


def formula(kind: type[k.Kernel]) -> str:
    """The first paragraph of the docstring."""
    return " ".join(cleandoc(kind.__doc__ or "").split("\n\n")[0].split())


def status(example: Example) -> str:
    """Whether Mercer's condition is a theorem, or what the rows of the picture say."""
    if isinstance(example.kernel, k.Polynomial):
        return "holds for coef0 of 0 or more"
    if example.kernel.positive:
        return "holds"
    smallest = k.check(example.kernel, example.fitted).smallest
    return (
        "need not hold; holds on these rows" if smallest > -1e-9 else f"fails on these rows (eigenvalue {smallest:.1g})"
    )


def _shown(kernel: k.Kernel) -> str:
    return type(kernel).__name__ + "(forest)" if isinstance(kernel, k.Proximity) else (
        "FromCallable(min)" if isinstance(kernel, k.FromCallable) else repr(kernel)
    )  # fmt: skip


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("<", "&lt;")


def picture(example: Example) -> str:
    """An SVG: curves for numbers, a matrix of squares for rows that have names."""
    gram = example.kernel.fit(example.fitted).gram(example.shown)
    return _matrix(gram, example.names) if example.names else _curves(gram, example.shown.numbers()[:, 0])


def _curves(gram: np.ndarray, x: np.ndarray) -> str:
    width, height = 180, 90
    places = [int(np.argmin(np.abs(x - (x[0] + (a + 3) / 6 * (x[-1] - x[0]))))) for a in ANCHORS]
    low, high = float(gram[places].min()), float(gram[places].max())
    across = 4 + (width - 8) * (x - x[0]) / (x[-1] - x[0])
    up = height - 6 - (height - 12) * (gram[places] - low) / max(high - low, 1e-12)
    parts = []
    for line, place, colour in zip(up, places, COLOURS, strict=True):
        points = " ".join(f"{a:.0f},{b:.0f}" for a, b in zip(across, line, strict=True))
        parts.append(f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="1.5"/>')
        parts.append(f'<circle cx="{across[place]:.0f}" cy="{line[place]:.0f}" r="3" fill="{colour}"/>')
    return _svg(width, height, parts)


def _matrix(gram: np.ndarray, names: Sequence[str]) -> str:
    side, left = 16, 6 * max(map(len, names)) + 8
    dark = np.clip(gram / max(float(np.abs(gram).max()), 1e-12), 0, 1)
    parts = []
    for i, name in enumerate(names):
        parts.append(f'<text x="0" y="{i * side + 12}" font-size="10" font-family="sans-serif">{escape(name)}</text>')
        for j in range(len(names)):
            grey = round(255 - 12 * round(19 * float(dark[i, j])))
            parts.append(
                f'<rect x="{left + j * side}" y="{i * side}" width="15" height="15" fill="rgb({grey},{grey},{grey})"/>'
            )
    return _svg(left + side * len(names), side * len(names), parts)


def _svg(width: int, height: int, parts: Sequence[str]) -> str:
    head = f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}">'
    return "\n".join([head, '<rect width="100%" height="100%" fill="white"/>', *parts, "</svg>", ""])


if __name__ == "__main__":
    (DOCS / "kernels").mkdir(exist_ok=True)
    for path, text in files().items():
        path.write_text(text, encoding="utf-8")
