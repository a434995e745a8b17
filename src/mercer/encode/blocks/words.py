"""Text columns as counts of words."""

from __future__ import annotations

from dataclasses import dataclass

import scipy.sparse as sp

from mercer.encode.blocks.scaling import Weight
from mercer.encode.text import common_words, count_words
from mercer.errors import BadFile
from mercer.state import Reader, State
from mercer.table import Table

MAX_WORDS = 1000  # of one text column


@dataclass(frozen=True)
class WordBlock:
    """z_w = how often word w stands in the text, for the commonest words that stand in two texts or more."""

    column: str
    words: tuple[str, ...]

    @classmethod
    def learn(cls, table: Table, name: str, weight: Weight) -> WordBlock:
        return cls(name, common_words(table.texts(name)[:, 0], weight, MAX_WORDS)[0])

    @property
    def names(self) -> list[str]:
        return [f"{self.column}:{w}" for w in self.words]

    @property
    def owners(self) -> list[str]:
        return [self.column] * len(self.words)

    def matrix(self, table: Table) -> sp.csr_array:
        """(n_rows, n_words) counts."""
        if not self.words:
            return sp.csr_array((len(table), 0))
        return sp.csr_array(count_words(table.texts(self.column)[:, 0], self.words))

    def to_state(self) -> State:
        return {"words": list(self.words)}

    @classmethod
    def from_state(cls, state: Reader, name: str) -> WordBlock:
        words = state.texts("words")
        if len(set(words)) != len(words):
            raise BadFile(f"{state.where}.words must be distinct.")
        state.finish()
        return cls(name, words)
