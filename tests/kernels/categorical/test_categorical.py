"""Categorical kernels against Yao's table: worked by hand, and by a slow double loop on random tables."""

import math

import numpy as np
import pytest
from numpy.testing import assert_allclose

from mercer import read_table
from mercer.errors import NotLevels
from mercer.kernels import IOF, OF, Goodall1, Goodall2, Goodall3, Goodall4, Lin, Overlap

ALL = [Overlap, IOF, OF, Lin, Goodall1, Goodall2, Goodall3, Goodall4]

# a: 3 x "u", 1 x "v"; b: 2 x "p", 2 x "q". Rows 0 and 1 agree in a and differ in b; rows 0 and 3 differ in both.
SMALL = read_table({"a": ["u", "u", "u", "v"], "b": ["p", "q", "p", "q"]})
L, LN = math.log, math.log(2)


@pytest.mark.parametrize(
    ("kernel", "first", "last"),
    [
        (Overlap(), (1 + 0) / 2, 0),
        (IOF(), (1 + 1 / (1 + LN * LN)) / 2, (1 / (1 + L(3) * L(1)) + 1 / (1 + LN * LN)) / 2),
        (OF(), (1 + 1 / (1 + LN * LN)) / 2, (1 / (1 + L(4 / 3) * L(4)) + 1 / (1 + LN * LN)) / 2),
        (
            Lin(),
            (2 * L(3 / 4) + 2 * L(1)) / (2 * L(3 / 4) + 2 * L(1 / 2)),
            (2 * L(1) + 2 * L(1)) / (L(3 / 4) + L(1 / 4) + 2 * L(1 / 2)),
        ),
        (Goodall1(), (1 - (6 / 12 + 0)) / 2, 0),  # both levels of a are at most as frequent as u
        (Goodall2(), (1 - 6 / 12) / 2, 0),
        (Goodall3(), (1 - 6 / 12) / 2, 0),
        (Goodall4(), (6 / 12) / 2, 0),
    ],
    ids=repr,
)
def test_by_hand(kernel, first, last):
    gram = kernel.fit(SMALL).gram(SMALL)
    assert gram[0, 1] == pytest.approx(first)
    assert gram[0, 3] == pytest.approx(last, abs=1e-15)


def test_goodall_1_and_2_differ_in_the_set_of_levels():
    rows = read_table({"a": ["u"] * 4 + ["v"] * 2 + ["w"]})
    p2 = {"u": 12 / 42, "v": 2 / 42, "w": 0.0}
    one, two = (k.fit(rows).diag(rows)[[0, 4, 6]] for k in (Goodall1(), Goodall2()))
    assert_allclose(one, [1 - p2["u"] - p2["v"] - p2["w"], 1 - p2["v"] - p2["w"], 1 - p2["w"]])
    assert_allclose(two, [1 - p2["u"], 1 - p2["u"] - p2["v"], 1 - p2["u"] - p2["v"] - p2["w"]])


def _level_similarity(name, x, y, f, n):
    """S_k of Yao's table for two cells; f counts the levels of n rows. A level never seen: once, in one row more."""
    p = {level: (count / n if count else 1 / (n + 1)) for level, count in f.items()}
    p2 = {level: max(count * (count - 1), 0) / max(n * (n - 1), 1) for level, count in f.items()}
    if x != y:
        return {
            "IOF": lambda: 1 / (1 + math.log(max(f[x], 1)) * math.log(max(f[y], 1))),
            "OF": lambda: 1 / (1 + math.log(1 / p[x]) * math.log(1 / p[y])),
            "Lin": lambda: 2 * math.log(min(p[x] + p[y], 1)),
        }.get(name, lambda: 0.0)()
    return {
        "Lin": lambda: 2 * math.log(p[x]),
        "Goodall1": lambda: 1 - sum(p2[q] for q in f if f[q] <= f[x]),
        "Goodall2": lambda: 1 - sum(p2[q] for q in f if f[q] >= f[x]),
        "Goodall3": lambda: 1 - p2[x],
        "Goodall4": lambda: p2[x],
    }.get(name, lambda: 1.0)()


def _slow(name, train, a, b, missing):
    """The formulas cell by cell, on lists of tuples with None where missing."""
    counts = []
    for column in zip(*train, strict=True):
        cells = [c for c in column if c is not None or missing == "level"]
        f = {
            level: cells.count(level) for level in {*column, *(r[len(counts)] for r in a), *(r[len(counts)] for r in b)}
        }
        counts.append((f, len(cells)))
    out = np.zeros((len(a), len(b)))
    for i, x in enumerate(a):
        for j, y in enumerate(b):
            used = [k for k in range(len(x)) if missing == "level" or (x[k] is not None and y[k] is not None)]
            total = sum(_level_similarity(name, x[k], y[k], *counts[k]) for k in used)
            apart = 0.0
            for k in used:
                f, n = counts[k]
                apart += sum(math.log(f[c] / n if f[c] else 1 / (n + 1)) for c in (x[k], y[k]))
            out[i, j] = total / len(x) if name != "Lin" else (total / apart if apart else float(bool(used)))
    return out


@pytest.mark.parametrize("missing", ["level", "ignore"])
@pytest.mark.parametrize("kernel", ALL, ids=lambda k: k.__name__)
def test_double_loop(kernel, missing):
    draw = np.random.default_rng(3)
    names = np.array(["p", "q", "r", "s", None], dtype=object)
    cells = names[draw.choice(5, size=(40, 3), p=[0.4, 0.3, 0.1, 0.05, 0.15])]
    train, new = cells[:25], cells[25:].copy()
    new[0, 0] = "t"  # a level that training rows do not have
    columns = ["one", "two", "three"]
    table = read_table(dict(zip(columns, train.T, strict=True)))
    fitted = kernel(missing).fit(table)
    ours = fitted.gram(dict(zip(columns, new.T, strict=True)), table)
    slow = _slow(kernel.__name__, *([tuple(r) for r in part] for part in (train, new, train)), missing)
    assert_allclose(ours, slow, rtol=1e-10, atol=1e-12)


def test_frequencies_from_unlabelled_rows_too():
    train = read_table({"a": ["u", "v", "u", "v"]})
    more = {"a": ["u", "u", "u", "u"]}
    together = read_table({"a": ["u", "v", "u", "v", "u", "u", "u", "u"]})
    for kernel in ALL:
        transductive = kernel().fit(train, unlabelled=more).gram(train)
        assert_allclose(transductive, kernel().fit(together).gram(train), err_msg=kernel.__name__)
    assert IOF().fit(train).gram(train)[0, 1] != IOF().fit(train, unlabelled=more).gram(train)[0, 1]


def test_unseen_and_missing_levels_are_never_nan():
    train = read_table({"a": ["u", "v", "u", None], "b": ["p", "p", "q", "q"]})
    new = {"a": ["never", None, "u"], "b": ["new", None, None]}
    for kernel in ALL:
        for missing in ("level", "ignore"):
            fitted = kernel(missing).fit(train)
            for gram in (fitted.gram(new, train), fitted.gram(new)):
                assert np.isfinite(gram).all(), kernel
                assert gram.max() <= 1 + 1e-12, kernel


def test_missing_as_no_evidence():
    rows = read_table({"a": ["u", None, None], "b": ["p", "p", "q"]}, kinds={"a": "category"})
    assert Overlap("level").fit(rows).gram(rows)[1, 2] == 0.5
    ignoring = Overlap("ignore").fit(rows).gram(rows)
    assert ignoring[1, 2] == 0
    assert ignoring[1, 1] == 0.5


def test_lin_of_a_column_with_one_level_is_agreement():
    rows = read_table({"a": ["u", "u"]}, kinds={"a": "category"})
    assert_allclose(Lin().fit(rows).gram(rows), 1)
    assert_allclose(Lin().fit(rows).gram({"a": ["new"]}, rows), 0)


def test_levels_are_found_by_name_in_another_table():
    train = read_table({"a": ["u", "v", "w"]})
    other = read_table({"a": ["w", "v"]})  # the same names under other codes
    assert_allclose(Overlap().fit(train).gram(other, train), [[0, 0, 1], [0, 1, 0]])


def test_many_levels_need_no_more_room_than_the_gram():
    names = [f"level {i}" for i in range(3000)]
    rows = read_table({"a": [*names, *names]}, kinds={"a": "category"})
    gram = OF().fit(rows).gram(rows.take(slice(0, 5)), rows)
    assert gram.shape == (5, 6000)
    assert_allclose(gram[0, [0, 3000]], 1)
    assert_allclose(gram[0, 1], 1 / (1 + math.log(3000) ** 2))


def test_numbers_are_not_levels():
    table = read_table({"age": [1.5, 2.5, 3.5]})
    with pytest.raises(NotLevels, match=r"'age' is numeric\. Use RBF\(on='age'\)"):
        Overlap(on=["age"]).fit(table)
