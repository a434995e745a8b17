"""Words of text columns, each column with a vocabulary of its own."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np
import scipy.sparse as sp

from mercer.arrays import Floats, Ints
from mercer.docstrings import shares_docs
from mercer.errors import BadFile
from mercer.likelihoods.base import ColumnTable, Likelihood, class_matrix
from mercer.likelihoods.smoothing import SMOOTHING, Smoothing, smoothing_rule
from mercer.parameters import Parameters
from mercer.state import Reader, State
from mercer.table import Kind, Table

_WORD = re.compile(r"\w+")


def words_of(text: str) -> list[str]:
    """Runs of letters and digits, in lower case."""
    return _WORD.findall(text.lower())


def bag_of_words(texts: Iterable[str | None], vocabulary: dict[str, int], *, grow: bool) -> sp.csr_array:
    """(n_rows, vocabulary + 1) word counts; words outside the vocabulary are added to it (`grow`), or counted together
    in the last column."""
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


@shares_docs()
@dataclass
class Words(Likelihood):
    """log p(text | c) = sum over words of log theta_cw,  theta_cw = smoothed share of word w in the texts of class c.

    A word that no training text holds counts too, with the mass that smoothing leaves it: alpha / (n_c + alpha V) with
    V the size of the vocabulary of the column.

    Parameters
    ----------
    {smoothing}

    Attributes
    ----------
    vocabularies : list of dict of str to int
        For each column the position of each word.
    counts : list of ndarray of shape (n_classes, n_words)
        For each column the weighted count of each word in each class.

    Examples
    --------
    >>> import mercer
    >>> model = mercer.NaiveBayes(kinds={"title": "text"})
    >>> _ = model.fit({"title": ["Merkel visits Greece", "Greece basketball coach"]}, ["politics", "sports"])
    >>> model.predict({"title": ["basketball champion"]})
    array(['sports'], dtype='<U8')
    """

    key: ClassVar[str] = "words"
    kinds: ClassVar[tuple[Kind, ...]] = (Kind.TEXT,)
    parameters: ClassVar[Parameters] = {"smoothing": SMOOTHING}

    smoothing: Smoothing = "laplace"

    def _reset_statistics(self) -> None:
        smoothing_rule(self.smoothing)
        self.vocabularies: list[dict[str, int]] = [{} for _ in self.columns]
        self.counts: list[Floats] = [np.zeros((self.n_classes, 0)) for _ in self.columns]

    def update(self, table: Table, classes: Ints, weight: Floats | None, n_jobs: int = 1) -> None:
        if weight is not None and not weight.all():  # words of rows without weight are not in the vocabulary
            kept = np.flatnonzero(weight)
            table, classes, weight = table.take(kept), classes[kept], weight[kept]
        texts, by_class = table.texts(self.names), class_matrix(classes, weight, self.n_classes)
        for j, vocabulary in enumerate(self.vocabularies):
            bags = bag_of_words(texts[:, j], vocabulary, grow=True)
            found = (by_class @ bags).toarray()[:, :-1]
            found[:, : self.counts[j].shape[1]] += self.counts[j]
            self.counts[j] = found

    def merge(self, other: Self, classes: Sequence[int]) -> None:
        for j, (vocabulary, counts) in enumerate(zip(other.vocabularies, other.counts, strict=True)):
            mine = self.vocabularies[j]
            positions = [mine.setdefault(word, len(mine)) for word in vocabulary]
            total = np.zeros((self.n_classes, len(mine)))
            total[:, : self.counts[j].shape[1]] = self.counts[j]
            total[np.ix_(list(classes), positions)] += counts
            self.counts[j] = total

    def add_log_prob(self, table: Table, out: Floats, n_jobs: int = 1) -> None:
        out += self.column_log_prob(table).sum(axis=1)

    def column_log_prob(self, table: Table) -> Floats:
        texts, rule = table.texts(self.names), smoothing_rule(self.smoothing)
        found = np.zeros((len(table), len(self.columns), self.n_classes))
        for j, vocabulary in enumerate(self.vocabularies):
            bags = bag_of_words(texts[:, j], vocabulary, grow=False)
            scores = rule.log_prob(self.counts[j])
            impossible = np.isneginf(scores)
            found[:, j] = bags @ np.where(impossible, 0.0, scores).T
            found[:, j][(bags @ impossible.T.astype(np.float64)) > 0] = -np.inf
        return found

    def tables(self) -> list[ColumnTable]:
        rule, tables = smoothing_rule(self.smoothing), []
        for column, vocabulary, counts in zip(self.columns, self.vocabularies, self.counts, strict=True):
            order = np.argsort(-counts.sum(axis=0), kind="stable")
            words = np.array(list(vocabulary), dtype=object)[order]
            shares = np.exp(rule.log_prob(counts)[:, :-1])[:, order].T
            tables.append(ColumnTable(column.name, self.key, tuple(words), shares, counts[:, order].T))
        return tables

    def _statistics_state(self) -> State:
        columns = [{"words": list(v), "counts": c} for v, c in zip(self.vocabularies, self.counts, strict=True)]
        return {"columns": columns}

    def _restore_statistics(self, state: Reader) -> None:
        stored = state.children("columns")
        if len(stored) != len(self.columns):
            raise BadFile(f"{state.where}: {len(stored)} vocabularies for {len(self.columns)} text columns.")
        self.vocabularies = [read_vocabulary(reader) for reader in stored]
        self.counts = [
            reader.array("counts", "float64", (self.n_classes, len(vocabulary)), low=0.0)
            for reader, vocabulary in zip(stored, self.vocabularies, strict=True)
        ]


def read_vocabulary(state: Reader) -> dict[str, int]:
    """The position of each word of a stored vocabulary."""
    words = state.texts("words")
    if len(set(words)) != len(words):
        raise BadFile(f"{state.where}.words: a word occurs twice.")
    return {word: k for k, word in enumerate(words)}
