"""What the tree's NumPy twin draws at random: the generators of native/include/mercer/tree_rules.hpp."""

from __future__ import annotations

_WORD = (1 << 64) - 1


class Random:
    """SplitMix64 (Steele, Lea and Flood 2014)."""

    def __init__(self, seed: int) -> None:
        self.state = seed & _WORD

    def next(self) -> int:
        self.state = (self.state + 0x9E3779B97F4A7C15) & _WORD
        z = self.state
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & _WORD
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & _WORD
        return z ^ (z >> 31)

    def unit(self) -> float:
        return (self.next() >> 11) * 2.0**-53

    def below(self, n: int) -> int:
        return ((self.next() >> 32) * n) >> 32


def of_column(node: int, column: int) -> int:
    """The seed of a column's random test at a node."""
    return _derived(node, column)


def of_branch(node: int, branch: int) -> int:
    """The seed of a child."""
    return _derived(node, (1 << 32) + branch)


def _derived(seed: int, k: int) -> int:
    return Random(seed ^ (((k + 1) * 0xD1B54A32D192ED03) & _WORD)).next()


class ColumnDraw:
    """Xorshift (Marsaglia 2003)."""

    def __init__(self, seed: int) -> None:
        self.state = seed & 0xFFFFFFFF or 1

    def below(self, n: int) -> int:
        self.state ^= (self.state << 13) & 0xFFFFFFFF
        self.state ^= self.state >> 17
        self.state ^= (self.state << 5) & 0xFFFFFFFF
        return (self.state & 0x7FFFFFFF) % n
