"""Words of text columns, each column with a vocabulary of its own ("source:word")."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np
import scipy.sparse as sp

from mercer.arrays import Floats, Ints
from mercer.errors import BadFile
from mercer.likelihoods.base import ColumnTable, Likelihood, place_classes
from mercer.likelihoods.bernoulli import class_matrix
from mercer.likelihoods.smoothing import smoothing_from, smoothing_from_state
from mercer.state import Reader, State
from mercer.table import Column, Kind, Table

_WORD = re.compile(r"\w+")


def words_of(text: str) -> list[str]:
    """Runs of letters and digits, without case."""
    return _WORD.findall(text.lower())


def bag_of_words(texts: Iterable[str | None], vocabulary: dict[str, int], *, grow: bool) -> sp.csr_array:
    """(n_rows, vocabulary + 1) word counts; the last column gathers unknown words, unless the vocabulary may grow."""
    rows, columns, values, n_rows = [], [], [], 0
    for i, text in enumerate(texts):
        n_rows = i + 1
        for word, times in Counter(words_of(text or "")).items():
            place = vocabulary.setdefault(word, len(vocabulary)) if grow else vocabulary.get(word, -1)
            rows.append(i)
            columns.append(place)
            values.append(float(times))
    places = np.array(columns, dtype=np.int64)
    places[places < 0] = len(vocabulary)
    return sp.csr_array((values, (rows, places)), shape=(n_rows, len(vocabulary) + 1))


@dataclass
class Words(Likelihood):
    """log p(text | c) = sum over words of log theta_cw,  theta_cw = smoothed share of word w in the texts of class c.

    A word that no training text holds counts too, with the mass that smoothing leaves it: alpha / (n_c + alpha V) with
    V the size of the vocabulary.

    Parameters
    ----------
    smoothing : as for Categorical, over the vocabulary of the column
    """

    key: ClassVar[str] = "words"
    kinds: ClassVar[tuple[Kind, ...]] = (Kind.TEXT,)

    smoothing: object = "laplace"

    def _clear(self) -> None:
        smoothing_from(self.smoothing)
        self.vocabularies: list[dict[str, int]] = [{} for _ in self.columns]
        self.counts: list[Floats] = [np.zeros((self.n_classes, 0)) for _ in self.columns]

    def update(self, table: Table, classes: Ints, weight: Floats | None, n_jobs: int = 1) -> None:
        texts, by_class = table.texts(self.names), class_matrix(classes, weight, self.n_classes)
        for j, vocabulary in enumerate(self.vocabularies):
            bags = bag_of_words(texts[:, j], vocabulary, grow=True)
            found = (by_class @ bags).toarray()[:, :-1]
            found[:, : self.counts[j].shape[1]] += self.counts[j]
            self.counts[j] = found

    def widen(self, columns: Sequence[Column], places: Sequence[int], n_classes: int) -> Self:
        wide = type(self)(self.smoothing).start(columns, n_classes)
        wide.vocabularies = [dict(v) for v in self.vocabularies]
        wide.counts = [place_classes(c, places, n_classes) for c in self.counts]
        return wide

    def merge(self, other: Self) -> None:
        for j, (vocabulary, counts) in enumerate(zip(other.vocabularies, other.counts, strict=True)):
            mine = self.vocabularies[j]
            places = [mine.setdefault(word, len(mine)) for word in vocabulary]
            total = np.zeros((self.n_classes, len(mine)))
            total[:, : self.counts[j].shape[1]] = self.counts[j]
            total[:, places] += counts[:, list(vocabulary.values())]
            self.counts[j] = total

    def add_log_prob(self, table: Table, out: Floats, n_jobs: int = 1) -> None:
        out += self.column_log_prob(table).sum(axis=1)

    def column_log_prob(self, table: Table) -> Floats:
        texts, rule = table.texts(self.names), smoothing_from(self.smoothing)
        found = np.zeros((len(table), len(self.columns), self.n_classes))
        for j, vocabulary in enumerate(self.vocabularies):
            bags = bag_of_words(texts[:, j], vocabulary, grow=False)
            scores = rule.log_prob(self.counts[j])
            impossible = np.isneginf(scores)
            found[:, j] = bags @ np.where(impossible, 0.0, scores).T
            found[:, j][(bags @ impossible.T.astype(np.float64)) > 0] = -np.inf
        return found

    def tables(self) -> list[ColumnTable]:
        rule, tables = smoothing_from(self.smoothing), []
        for column, vocabulary, counts in zip(self.columns, self.vocabularies, self.counts, strict=True):
            order = np.argsort(-counts.sum(axis=0), kind="stable")
            words = np.array(list(vocabulary), dtype=object)[order]
            shares = np.exp(rule.log_prob(counts)[:, :-1])[:, order].T
            tables.append(ColumnTable(column.name, self.key, tuple(words), shares, counts[:, order].T))
        return tables

    def to_state(self) -> State:
        columns = [{"words": list(v), "counts": c} for v, c in zip(self.vocabularies, self.counts, strict=True)]
        return {"smoothing": smoothing_from(self.smoothing).to_state(), "columns": columns}

    @classmethod
    def from_state(cls, state: Reader, columns: Sequence[Column], n_classes: int) -> Self:
        part = cls(smoothing_from_state(state.child("smoothing"))).start(columns, n_classes)
        stored = state.children("columns")
        if len(stored) != len(columns):
            raise BadFile(f"{state.where}: {len(stored)} vocabularies for {len(columns)} text columns.")
        for j, reader in enumerate(stored):
            words = reader.texts("words")
            if len(set(words)) != len(words):
                raise BadFile(f"{reader.where}.words: a word stands twice.")
            part.vocabularies[j] = {word: k for k, word in enumerate(words)}
            part.counts[j] = reader.array("counts", "float64", (n_classes, len(words)), low=0.0)
            reader.finish()
        state.finish()
        return part
