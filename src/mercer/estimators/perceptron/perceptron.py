"""Rosenblatt's perceptron on mixed tables."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from mercer._core.threads import single_blas_thread
from mercer.arrays import Floats
from mercer.errors import MercerError
from mercer.estimators.common.explanation import Explanation
from mercer.estimators.common.text_table import shown_cells
from mercer.estimators.linear.explain import by_column
from mercer.estimators.perceptron.base import PerceptronBase
from mercer.solvers.perceptron import BLOCK, run_block
from mercer.state import Reader, State
from mercer.table import Table

_MOST_VOTES = 500  # vectors of a voted perceptron that are kept, the longest-lived


class Perceptron(PerceptronBase):
    """f(x) = sign(w'x + b);  at each mistake, y (w'x + b) <= margin:  w <- w + eta0 y x,  b <- b + eta0 y R^2.

    R = max |x|. Rows are shown in order, pass after pass, until a pass is without mistakes. On rows that no hyperplane
    separates that never happens: it stops, says so, and `separated_` is False. More than two classes: each against
    the rest. Levels, words and missing cells become numbers as in LinearRegression.

    Parameters
    ----------
    eta0 : learning rate, above 0
    margin : 0 for Rosenblatt's rule; 1, say, counts rows inside the margin as mistakes too
    average : False (the last w), True (the mean of w over all rows shown, Freund & Schapire 1999), or "voted" (each w
        votes with the number of rows it survived)
    scale : whether columns are centred and divided by their deviation first
    max_iter : passes at most
    n_iter_no_change : passes without fewer mistakes, after which it stops
    shuffle : whether each pass is in a random order
    random_state : of that order
    kinds : column -> kind, overriding what is inferred from a data frame

    Attributes
    ----------
    coef_, intercept_ : w and b, for the columns as they come (with "voted": of the mean)
    separated_, n_iter_, mistakes_ : whether the last pass was without mistakes; passes; mistakes of the last one

    Examples
    --------
    >>> import mercer
    >>> rows = [[0.0, 1.0], [1.0, 3.0], [3.0, 1.0], [4.0, 2.0]]
    >>> model = mercer.Perceptron().fit(rows, ["left", "left", "right", "right"])
    >>> model.separated_, model.predict([[5.0, 0.0]]).tolist()
    (True, ['right'])
    """

    def __init__(
        self,
        eta0: float = 1.0,
        *,
        margin: float = 0.0,
        average: bool | str = False,
        scale: bool = True,
        max_iter: int = 1000,
        n_iter_no_change: int = 50,
        shuffle: bool = False,
        random_state: Any = None,
        kinds: Mapping[str, Any] | None = None,
    ) -> None:
        self.eta0 = eta0
        self.margin = margin
        self.average = average
        self.scale = scale
        self.max_iter = max_iter
        self.n_iter_no_change = n_iter_no_change
        self.shuffle = shuffle
        self.random_state = random_state
        self.kinds = kinds

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn from a table X and labels y; a row of weight 2 is shown twice in a row."""
        table, codes, turns = self._start(X, y, sample_weight)
        self._begin(table, turns)
        rows, signs = self._rows(table), self._signs(codes)
        self.radius_ = float(np.sqrt(_squares(rows).max(initial=0.0)))
        self._passes(len(table), lambda order: self._one_pass(rows, signs, turns, order))
        self._learn_link(self._score_rows(rows), codes, turns)
        return self

    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """One pass over further rows. The first call decides on columns and, by `classes`, on labels."""
        if not hasattr(self, "walk_"):
            table, codes, turns = self._start(X, y, sample_weight, classes)
            self._begin(table, turns)
        else:
            table, codes, turns = self._further(X, y, sample_weight)
        rows, signs = self._rows(table), self._signs(codes)
        self.radius_ = max(getattr(self, "radius_", 0.0), float(np.sqrt(_squares(rows).max(initial=0.0))))
        self.n_iter_ += 1
        self.mistakes_ = self._one_pass(rows, signs, turns, np.arange(len(table)))
        self.separated_ = self.mistakes_ == 0
        self._learn_link(self._score_rows(rows), codes, np.maximum(turns, 1e-300))
        return self

    def _begin(self, table: Table, turns: Floats) -> None:
        if self.average not in (False, True, "voted"):
            raise MercerError(f"average={self.average!r}: False, True or 'voted'.")
        self._learn_design(table, turns)
        if not self.scale:
            self.mean_, self.scale_ = np.zeros_like(self.mean_), np.ones_like(self.scale_)
        k = self._n_planes
        d = len(self.mean_)
        self.walk_ = np.zeros((k, d + 1))  # w and b now
        self.lag_ = np.zeros((k, d + 1))  # sum over updates of (rows shown before) * update
        self.shown_ = np.zeros(k)
        self.votes_ = [(np.zeros((0, d + 1)), np.zeros(0)) for _ in range(k)]
        self.n_iter_, self.mistakes_, self.separated_ = 0, 0.0, False

    def _rows(self, table: Table) -> Floats:
        matrix = self.design_.matrix(table)
        dense = matrix.toarray() if sp.issparse(matrix) else np.asarray(matrix, dtype=np.float64)
        return (dense - self.mean_) / self.scale_ if self.scale else dense

    def _one_pass(self, rows: Floats, signs: Floats, turns: Floats, order: NDArray[np.intp]) -> float:
        mistakes = 0.0
        with single_blas_thread():
            for start in range(0, len(order), BLOCK):
                now = order[start : start + BLOCK]
                x = rows[now]
                products = x @ x.T + self.radius_**2
                for k in range(len(self.walk_)):
                    mistakes += self._block(k, x, products, signs[now, k], turns[now])
        return mistakes

    def _block(self, k: int, x: Floats, products: Floats, signs: Floats, turns: Floats) -> float:
        scores = x @ self.walk_[k, 1:] + self.walk_[k, 0]
        wrong = run_block(products, scores, signs, turns, self.eta0, self.margin)
        at = np.flatnonzero(wrong)
        steps = self.eta0 * wrong[at] * signs[at]
        before = self.shown_[k] + np.concatenate([[0.0], np.cumsum(turns)])[at]
        moves = np.column_stack([steps * self.radius_**2, steps[:, None] * x[at]])
        if self.average == "voted":
            self._vote(k, moves, before)
        self.walk_[k] += moves.sum(axis=0)
        self.lag_[k] += before @ moves
        self.shown_[k] += turns.sum()
        return float(wrong.sum())

    def _vote(self, k: int, moves: Floats, before: Floats) -> None:
        """Each w with the rows it survived; those of the shortest lives are dropped."""
        vectors, births = self.votes_[k]
        path = self.walk_[k] + np.cumsum(moves, axis=0)
        vectors, births = np.vstack([vectors, path]), np.concatenate([births, before])
        if len(births) > 4 * _MOST_VOTES:
            lives = np.diff(births, append=np.inf)
            kept = np.sort(np.argsort(-lives, kind="stable")[:_MOST_VOTES])
            vectors, births = vectors[kept], births[kept]
        self.votes_[k] = (vectors, births)

    def _snapshot(self) -> Floats:
        return self.walk_.copy()

    def _recall(self, snapshot: Floats) -> None:
        if not self.average:  # the mean and the votes come from the whole way
            self.walk_ = snapshot

    def _hyperplanes(self) -> Floats:
        """(k, d + 1), b first, for rows as `_rows` gives them."""
        if not self.average:
            return self.walk_
        return self.walk_ - self.lag_ / np.maximum(self.shown_, 1.0)[:, None]

    @property
    def coef_(self) -> Floats:
        return self._hyperplanes()[:, 1:] / self.scale_

    @property
    def intercept_(self) -> Floats:
        return self._hyperplanes()[:, 0] - self.coef_ @ self.mean_

    @property
    def term_names_(self) -> list[str]:
        """What each column of `coef_` belongs to."""
        return self.design_.names

    def _scores(self, table: Table) -> Floats:
        return self._score_rows(self._rows(table))

    def _score_rows(self, rows: Floats) -> Floats:
        if self.average != "voted":
            planes = self._hyperplanes()
            return rows @ planes[:, 1:].T + planes[:, 0]
        return np.column_stack([self._tally(k, rows) for k in range(len(self.walk_))])

    def _tally(self, k: int, rows: Floats) -> Floats:
        """Votes for minus votes against, as a share of all."""
        vectors, births = self.votes_[k]
        if not len(births):
            return np.zeros(len(rows))
        lives = np.diff(births, append=max(self.shown_[k], births[-1]))
        lives = lives if lives.any() else np.ones_like(lives)
        order = np.sort(np.argsort(-lives, kind="stable")[:_MOST_VOTES])
        sides = np.sign(rows @ vectors[order, 1:].T + vectors[order, 0])
        return np.asarray(sides @ lives[order] / lives[order].sum())

    def explain(self, X: Any) -> Explanation:
        """What each column adds to the score of each row, compared with an average row."""
        table = self._predict_table(X)
        chosen, other = self._two_sides(self._scores(table))
        coef, b = self._both_sides(self.coef_.T).T, self._both_sides(self.intercept_[None])[0]
        asked, base = coef[chosen] - coef[other], b[chosen] - b[other]
        names, values = by_column(self.design_, table, asked, self.mean_)
        cells = shown_cells(table, names)
        return Explanation(names, values, base + asked @ self.mean_, self.classes_[chosen], self.classes_[other], cells)

    def to_state(self) -> State:
        check_is_fitted(self)
        votes = [{"vectors": v, "births": b} for v, b in self.votes_]
        return self._shared_state() | {
            "eta0": float(self.eta0), "margin": float(self.margin), "average": str(self.average),
            "scaled": bool(self.scale), "walk": self.walk_.copy(), "lag": self.lag_.copy(),
            "shown": self.shown_.copy(),
            "radius": self.radius_, "votes": votes,
        }  # fmt: skip

    @classmethod
    def from_state(cls, state: Reader) -> Self:
        choice = state.text("average", ("False", "True", "voted"))
        most = float(np.finfo(float).max)
        model = cls(
            state.number("eta0", 0.0, most), margin=state.number("margin", 0.0, most),
            average=choice if choice == "voted" else choice == "True", scale=state.flag("scaled"),
        )._restore_shared(state)  # fmt: skip
        k, d = model._n_planes, len(model.mean_)
        model.walk_ = state.array("walk", "float64", (k, d + 1))
        model.lag_ = state.array("lag", "float64", (k, d + 1))
        model.shown_ = state.array("shown", "float64", (k,), low=0.0)
        model.radius_ = state.number("radius", 0.0, most)
        votes = state.children("votes")
        if len(votes) != k:
            raise state.refuse("votes", f"{k} lists")
        model.votes_ = []
        for reader in votes:
            births = reader.array("births", "float64", (None,), low=0.0)
            model.votes_.append((reader.array("vectors", "float64", (len(births), d + 1)), births))
            reader.finish()
        state.finish()
        return model


def _squares(rows: Floats) -> Floats:
    return np.asarray(np.einsum("ij,ij->i", rows, rows))
