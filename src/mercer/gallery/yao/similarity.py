"""Eight similarities of rows of categories, each value worked out by hand.

    S(X, Y) = Σ_k w_k S_k(X_k, Y_k)       with  p̂(x) = f(x)/N   and   p²(x) = f(x)(f(x) − 1) / (N(N − 1))

Six rows: three red, two blue, one green; four small, two large. So p² is 1/5 of red, 1/15 of blue, 0 of green, 2/5 of
small, 1/15 of large. Rows 1 and 2 are equal, rows 1 and 3 share red, rows 4 and 5 share blue, rows 3 and 4 share
nothing: four pairs for every line of the table. log is the natural logarithm.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import log

import numpy as np

import mercer
from mercer.gallery import Comparison, Picture, label, panels
from mercer.kernels import IOF, OF, Goodall1, Goodall2, Goodall3, Goodall4, Kernel, Lin, Overlap, check

PASSAGE = "Table 3.1"
PLACE = 1
ROWS = {"colour": ["red", "red", "red", "blue", "blue", "green"], "size": ["S", "S", "L", "S", "L", "S"]}
PAIRS = {"equal rows": (0, 1), "both red": (0, 2), "both blue": (3, 4), "nothing shared": (2, 3)}
SMALL_LARGE = {"IOF": 1 / (1 + log(4) * log(2)), "OF": 1 / (1 + log(6 / 4) * log(6 / 2))}
RED_BLUE = {"IOF": 1 / (1 + log(3) * log(2)), "OF": 1 / (1 + log(6 / 3) * log(6 / 2))}
RED, BLUE, S, L = log(3 / 6), log(2 / 6), log(4 / 6), log(2 / 6)
BY_HAND: dict[type[Kernel], tuple[str | float, ...]] = {
    Overlap: ("1", "1/2", "1/2", "0"),
    IOF: ("1", *[(1 + SMALL_LARGE["IOF"]) / 2] * 2, (RED_BLUE["IOF"] + SMALL_LARGE["IOF"]) / 2),
    OF: ("1", *[(1 + SMALL_LARGE["OF"]) / 2] * 2, (RED_BLUE["OF"] + SMALL_LARGE["OF"]) / 2),
    # small or large is every row, and log 1 = 0: to differ in size adds nothing to the first sum
    Lin: ("1", 2 * RED / (2 * RED + S + L), 2 * BLUE / (2 * BLUE + S + L), 2 * log(5 / 6) / (RED + BLUE + S + L)),
    Goodall1: ("19/30", "11/30", "7/15", "0"),  # (1 − 1/5 − 1/15 + 1 − 2/5 − 1/15) / 2, then red, then (1 − 1/15) / 2
    Goodall2: ("7/10", "2/5", "11/30", "0"),  # (1 − 1/5 + 1 − 2/5) / 2, then red, then (1 − 1/15 − 1/5) / 2
    Goodall3: ("7/10", "2/5", "7/15", "0"),  # (1 − 1/5 + 1 − 2/5) / 2, then red, then (1 − 1/15) / 2
    Goodall4: ("3/10", "1/10", "1/30", "0"),  # (1/5 + 2/5) / 2, then red, then 1/15 / 2
}


def run() -> Iterator[Comparison | Picture]:
    grams = {kind.__name__: kind().fit(ROWS).gram(ROWS) for kind in BY_HAND}
    for kind, values in BY_HAND.items():
        for (pair, cell), value in zip(PAIRS.items(), values, strict=True):
            yield Comparison(f"{kind.__name__}, {pair}", value, grams[kind.__name__][cell])

    lin, printed = grams["Lin"], 2 * RED / (RED + S + L)
    yield Comparison("Lin, both red, with the sum of its weight as printed", printed, lin[PAIRS["both red"]],
                     slip="brackets are missing: the sum is over both logarithms of every column")  # fmt: skip
    yield Comparison("Lin: to share a frequent level counts more", "yes", lin[0, 2] > lin[3, 4],
                     slip="log p̂ is larger, without its sign, for rare levels: sharing blue counts more")  # fmt: skip
    same = np.allclose(grams["Goodall1"], grams["Goodall2"])
    yield Comparison("Goodall1 and Goodall2 are the same, as their lines are", "yes", same,
                     slip="Q has the levels at most, or at least, as frequent; only the caption says so")  # fmt: skip
    yield Comparison("the opposite of IOF", "IF", OF.__name__, slip="its line in the table is called OF")
    skewed = {"letter": ["a"] * 18 + ["b", "c"]}
    why = {IOF: "an eigenvalue of the six rows is −0.09", OF: "an eigenvalue of 18 a, one b and one c is −0.05"}
    for kind in BY_HAND:
        holds = all(check(kind(), rows).holds for rows in (ROWS, skewed))
        what = f"{kind.__name__}: Mercer's condition, on the six rows and on 18 a, one b, one c"
        yield Comparison(what, "yes", holds, differs=why.get(kind, ""))

    figure, axes = panels(2, 4, (13, 6.4))
    for ax, kind in zip(axes.flat, BY_HAND, strict=True):
        mercer.plot.kernel_matrix(kind(), ROWS, ax=ax)
        label(ax, kind.__name__, "row", "row")
        ax.images[0].set_clim(0, 1)
        ax.set(xticks=range(6), yticks=range(6), xticklabels=range(1, 7), yticklabels=range(1, 7))
    yield Picture("matrices", figure, "Gram matrices of the six rows by the eight measures: IOF and OF find something "
                  "alike in any two rows, Goodall4 only in those that share a frequent level.")  # fmt: skip
