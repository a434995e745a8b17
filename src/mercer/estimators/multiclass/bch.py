"""Bose-Chaudhuri-Hocquenghem codes: words of length 2^m - 1 of which any two differ in a designed number of bits."""

from __future__ import annotations

from math import ceil, log2

import numpy as np

from mercer.errors import BadParameter
from mercer.estimators.multiclass.codes import Code

# A primitive polynomial of each degree m, as bits.
_PRIMITIVE = {3: 0b1011, 4: 0b10011, 5: 0b100101, 6: 0b1000011, 7: 0b10001001, 8: 0b100011101, 9: 0b1000010001}
_PER_BIT = 10  # columns per log2 of the classes that a length left open has at least, as random dense codes have


def bch_code(n_classes: int, length: int | None, random: np.random.RandomState) -> Code:
    """Random words of the BCH code with the largest designed distance that has a word for each class.

    Columns that are the same for all classes are left out, and others turned to begin with +1: neither changes the
    distance of two rows.
    """
    needed = ceil(log2(n_classes))
    lengths = {2**m - 1: m for m in _PRIMITIVE}
    if length is None:
        length = next((n for n in lengths if n >= _PER_BIT * log2(n_classes)), max(lengths))
    if length not in lengths:
        raise BadParameter(f"A BCH code has {', '.join(map(str, lengths))} columns, not {length}: give one of these.")
    generator = _generator(lengths[length], needed)
    if generator is None:
        raise BadParameter(
            f"A BCH code of {length} columns has too few words for {n_classes} classes: use a longer one."
        )
    dimension = length - generator.bit_length() + 1
    messages: set[int] = set()
    while len(messages) < n_classes:
        messages |= {int(v) for v in random.randint(0, 2 ** min(dimension, 30), n_classes - len(messages))}
    words = [_multiply(message, generator) for message in sorted(messages)]
    bits = np.array([[1 - 2 * (word >> j & 1) for j in range(length)] for word in words], dtype=np.int8)
    used = bits[:, np.ptp(bits, axis=0) > 0]
    return used * used[0]


def _generator(m: int, needed: int) -> int | None:
    """The generator polynomial of the largest designed distance that leaves `needed` message bits or more.

    It is the product of the minimal polynomials of a, a^3, a^5, ..., with a a primitive element of GF(2^m).
    """
    n = 2**m - 1
    found, best, seen = 1, None, set()
    for power in range(1, n, 2):
        if power in seen:
            continue
        coset = sorted({power * 2**i % n for i in range(m)})
        seen |= set(coset)
        found = _multiply(found, _minimal_polynomial(coset, m))
        if n - found.bit_length() + 1 < needed:
            break
        best = found
    return best


def _minimal_polynomial(coset: list[int], m: int) -> int:
    """The product of (x - a^c) over the coset, whose coefficients are 0 and 1, as bits."""
    n, exps = 2**m - 1, [1]
    for _ in range(n - 1):
        doubled = exps[-1] << 1
        exps.append(doubled ^ _PRIMITIVE[m] if doubled >> m else doubled)
    logs = {value: power for power, value in enumerate(exps)}
    poly = [1]  # lowest power first
    for c in coset:
        shifted = [0, *poly]
        scaled = [exps[(logs[v] + c) % n] if v else 0 for v in poly] + [0]
        poly = [a ^ b for a, b in zip(shifted, scaled, strict=True)]
    return sum(bit << j for j, bit in enumerate(poly))


def _multiply(a: int, b: int) -> int:
    """The product of two polynomials over GF(2), as bits."""
    found = 0
    while a:
        if a & 1:
            found ^= b
        a, b = a >> 1, b << 1
    return found
