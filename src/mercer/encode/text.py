"""Texts as counts of words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.feature_extraction.text import CountVectorizer, HashingVectorizer

from mercer.arrays import Floats, Longs
from mercer.docstrings import shares_docs
from mercer.encode.base import Encoder
from mercer.errors import BadColumn
from mercer.parameters import Flag, Number, Parameters
from mercer.state import Reader, State
from mercer.table import Column, Columns, Kind, Schema, Selector, Table
from mercer.table.assemble import all_but, hstack, number_table
from mercer.table.schema import column_size

_HASHED = 1024
_WORD = r"(?u)\b\w+\b"


def count_words(texts: NDArray[np.object_], words: Sequence[str], binary: bool = False) -> Any:
    """How often each word stands in each text, (n_texts, n_words) CSR; whether it does, when `binary`."""
    if not len(words):
        return sp.csr_array((len(texts), 0))
    counter = CountVectorizer(token_pattern=_WORD, vocabulary=words, binary=binary)
    return counter.transform(_known(texts)).astype(np.float64)


def common_words(
    texts: NDArray[np.object_], weight: Floats | None, most: int | None, least: float = 2
) -> tuple[tuple[str, ...], Floats]:
    """The words in the most texts, of those in `least` texts or more, in alphabetical order, and in how many texts each
    stands; texts count by their weight."""
    counter = CountVectorizer(token_pattern=_WORD, binary=True)
    try:
        seen = counter.fit_transform(_known(texts))
    except ValueError:  # not one word
        return (), np.empty(0)
    n_texts = np.asarray(seen.sum(axis=0)).ravel() if weight is None else weight @ seen
    order = np.argsort(-n_texts, kind="stable")[:most]
    kept = np.sort(order[n_texts[order] >= least])
    words = counter.get_feature_names_out()
    return tuple(str(words[k]) for k in kept), np.asarray(n_texts[kept], dtype=np.float64)


@dataclass(frozen=True)
class WordCounts:
    """The words of some texts in alphabetical order: in how many texts each stands, and how often."""

    words: Sequence[str]
    n_texts: Longs
    times: Longs


def word_counts(texts: NDArray[np.object_]) -> WordCounts:
    """Every word of the texts."""
    counter = CountVectorizer(token_pattern=_WORD)
    try:
        found = counter.fit_transform(_known(texts))
    except ValueError:  # not one word
        return WordCounts((), np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64))
    n_texts = np.bincount(found.indices, minlength=found.shape[1])
    return WordCounts(counter.get_feature_names_out(), n_texts, np.asarray(found.sum(axis=0)).ravel())


def _known(texts: NDArray[np.object_]) -> list[str]:
    return ["" if t is None else str(t) for t in texts]


@shares_docs()
class BagOfWords(Encoder):
    """z_w = how often word w stands in the text: one numeric column '<name>:<word>' for each word.

    For texts whose words matter and not their order. A word is a run of letters and digits, without case;
    words not seen in fitting are ignored, and a missing text counts no word.

    Parameters
    ----------
    size : int or None, default None
        How many words stay, the commonest first (equal counts in alphabetical order), or None for all; with `hashed`,
        how many columns words are spread over (None is 1024).
    hashed : bool, default False
        Whether words are hashed to columns '<name>#<number>' rather than listed; words may then share a column.
    binary : bool, default False
        Whether a word counts once a text.
    min_rows : int, default 1
        In how many texts a word must stand to be listed.
    sparse : bool, default True
        Whether the numbers become a CSR array; data frames (`set_output`) need False.
    on : str, list of str, selector or None, default None
        The text columns to change, by name or as `text()`; None for all.

    Attributes
    ----------
    words_ : list of tuple of str
        The words listed of each column; none when hashed.
    {names_}
    {schema_out_}
    {schema_}
    {n_features_in_}
    {feature_names_in_}

    Examples
    --------
    >>> import mercer
    >>> from mercer.encode import BagOfWords
    >>> table = mercer.read_table({"note": ["tea or tea", "tea no milk"]}, kinds={"note": "text"})
    >>> out = BagOfWords().fit_transform(table)
    >>> out.columns, out.numbers().tolist()
    (('note:milk', 'note:no', 'note:or', 'note:tea'), [[0.0, 0.0, 1.0, 2.0], [1.0, 1.0, 0.0, 1.0]])
    """

    takes: ClassVar[tuple[Kind, ...]] = (Kind.TEXT,)
    parameters: ClassVar[Parameters] = {
        "size": Number(1, 10_000_000, whole=True, optional=True),
        "hashed": Flag(),
        "binary": Flag(),
        "min_rows": Number(1, 2**53, whole=True),
        "sparse": Flag(),
        "on": Columns(),
    }

    def __init__(
        self,
        size: int | None = None,
        *,
        hashed: bool = False,
        binary: bool = False,
        min_rows: int = 1,
        sparse: bool = True,
        on: Selector = None,
    ) -> None:
        self.size = size
        self.hashed = hashed
        self.binary = binary
        self.min_rows = min_rows
        self.sparse = sparse
        self.on = on

    def _learn(self, table: Table, y: Any) -> None:
        texts = table.texts(self.names_)
        self._set_words([] if self.hashed else [word_counts(column) for column in texts.T])

    def _set_words(self, counts: Sequence[WordCounts]) -> None:
        """counts : of the texts of each column; none when hashed"""
        listed = [self._words(found, name) for found, name in zip(counts, self.names_, strict=not self.hashed)]
        self.words_: list[tuple[str, ...]] = listed or [()] * len(self.names_)

    def _words(self, found: WordCounts, name: str) -> tuple[str, ...]:
        listed = np.flatnonzero(found.n_texts >= self.min_rows)
        if not len(listed):
            raise BadColumn(
                f"Column {name!r}: no word stands in {self.min_rows} texts. Lower min_rows, or leave it out."
            )
        common = listed[np.argsort(-found.times[listed])[: self.size]]  # ties as of scikit-learn's CountVectorizer
        return tuple(found.words[k] for k in np.sort(common))

    def _schema_out(self, schema: Schema, names: tuple[str, ...]) -> Schema:
        place = {n: j for j, n in enumerate(names)}
        columns: list[Column] = []
        for column in schema:
            columns += self._columns(column.name, place[column.name]) if column.name in place else [column]
        return replace(schema, columns=tuple(columns))

    def _columns(self, name: str, j: int) -> list[Column]:
        if self.hashed:
            reason = f"count of the words of {name!r} that fall here"
            return [Column(f"{name}#{k}", Kind.NUMERIC, reason=reason) for k in range(self.size or _HASHED)]
        words = self.words_[j]
        return [Column(f"{name}:{w}", Kind.NUMERIC, reason=f"count of {w!r} in {name!r}") for w in words]

    def _names_size(self) -> float:
        columns = zip(self.names_, self.words_, strict=True)
        return sum(((self.size or _HASHED) if self.hashed else len(words)) * column_size(n) for n, words in columns)

    def _apply(self, table: Table) -> Table:
        if not self.names_:
            return table
        texts = table.texts(self.names_)
        counts = [self._counts(texts[:, j], j) for j in range(len(self.names_))]
        columns = [c for j, n in enumerate(self.names_) for c in self._columns(n, j)]
        stacked = sp.csr_array(sp.hstack(counts, format="csr"))
        bags = number_table(columns, stacked if self.sparse else stacked.toarray())
        return hstack([all_but(table, self.names_), bags], self.schema_out_)

    def _counts(self, texts: NDArray[np.object_], j: int) -> Any:
        if not self.hashed:
            return count_words(texts, self.words_[j], self.binary)
        counter = HashingVectorizer(
            token_pattern=_WORD, n_features=self.size or _HASHED, norm=None, alternate_sign=False, binary=self.binary
        )
        return counter.transform(_known(texts)).astype(np.float64)

    def _fitted_state(self) -> State:
        return {"columns": [{"words": list(words)} for words in self.words_]}

    def _restore_fitted(self, state: Reader) -> None:
        columns = state.children("columns")
        if len(columns) != len(self.names_):
            raise state.refuse("columns", f"{len(self.names_)} columns")
        self.words_ = []
        for reader in columns:
            words = reader.texts("words")
            most = 0 if self.hashed else (self.size or 2**53)
            if len(set(words)) != len(words) or len(words) > most or (not words and not self.hashed):
                raise reader.refuse("words", "distinct words")
            reader.finish()
            self.words_.append(words)
