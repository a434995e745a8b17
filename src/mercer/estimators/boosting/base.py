"""What boosted classifiers and regressors share: from a table to trees, predictions, storing."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import train_test_split
from sklearn.utils.validation import check_is_fitted

from mercer._core import boost as core
from mercer.arrays import Floats, Ints, Longs
from mercer.errors import BadParameter, did_you_mean
from mercer.estimators.boosting.state import binning_from_state, binning_state, forest_from_state
from mercer.estimators.common.sample_weight import row_counts
from mercer.estimators.tree.columns import TreeColumns
from mercer.estimators.tree.fit import draw_seed
from mercer.solvers.boost.binning import Binning, Bytes
from mercer.solvers.boost.boost import Boosted, Method, Rows, TreeRules, boost
from mercer.solvers.boost.forest import Forest
from mercer.solvers.boost.losses import Loss
from mercer.solvers.boost.tiles import Tiles
from mercer.solvers.tree.tree import Columns
from mercer.state import Reader, State
from mercer.table import Kind, Table, read_table
from mercer.table.estimator import TableEstimator, is_array

MANY_ROWS = 10_000  # above which early_stopping="auto" sets rows aside

Score = Callable[[Floats, Rows], float] | None


class BaseBoosting(TableEstimator):
    """Base of boosted trees: a subclass reads its target, then calls `_boost`."""

    forest_: Forest
    binning_: Binning
    columns_: TreeColumns

    def _boost_table(self, X: Any) -> Table:
        """The table to learn from, with the columns that `categorical_features` names as categories."""
        named = self.categorical_features
        if named is None or isinstance(named, str):
            return self._fit_table(X)
        table = self._fit_table(X)
        names = self._input_names()
        kinds = {**(self.kinds or {}), **dict.fromkeys(_chosen(named, names), "category")}
        data = dict(zip(names, np.asarray(X, dtype=object).T, strict=True)) if is_array(X) else X
        table = read_table(data, kinds=kinds)
        self.schema_ = table.schema
        return table

    def _boost(
        self, table: Table, y: Floats, weight: Floats | None, loss: Loss, score: Score, strata: Ints | None
    ) -> None:
        """Set rows aside, bin the columns and add trees; sets what was found."""
        seed = draw_seed(self.random_state)
        weight = row_counts(weight)
        if weight is not None and not weight.all():  # a row of weight 0 is none
            kept = np.flatnonzero(weight)
            table, y, weight = table.take(kept), y[kept], weight[kept]
            strata = None if strata is None else strata[kept]
        goes_on = self.warm_start and hasattr(self, "forest_")
        stops = self.early_stopping is True or (self.early_stopping == "auto" and len(y) > MANY_ROWS)
        if goes_on:
            columns = self.columns_.transform(table)
        else:
            self.columns_, columns = TreeColumns.fit(table, self.words, 0)
        train, test = self._split_rows(len(y), strata, stops)
        if not goes_on:
            self.binning_ = Binning.fit(_take(columns, train), self.max_bins, seed)
        bins = self.binning_.transform(columns, self._jobs)
        learned = _rows(bins, y, weight, train)
        found = boost(
            learned,
            Tiles.of(learned.bins, self.binning_.bins, self.binning_.nominal),
            self._method(loss, seed, stops),
            test=None if test is None else _rows(bins, y, weight, test),
            score=score,
            begin=Boosted(self.forest_, [*self.train_score_], [*self.validation_score_]) if goes_on else None,
        )
        self.do_early_stopping_ = stops
        self._keep(found)

    def _split_rows(self, n: int, strata: Any, stops: bool) -> tuple[Longs | None, Longs | None]:
        """Training rows and those set aside; None for all, and for none."""
        if not stops or self.validation_fraction is None:
            return None, None
        few = strata is not None and np.bincount(strata).min() < 2
        return tuple(
            train_test_split(
                np.arange(n),
                test_size=self.validation_fraction,
                stratify=None if few else strata,
                random_state=self.random_state,
            )
        )

    def _method(self, loss: Loss, seed: int, stops: bool) -> Method:
        names = [c.name for c in self.columns_.single]
        rules = TreeRules(
            l2=self.l2_regularization,
            min_rows=self.min_samples_leaf,
            max_leaves=self.max_leaf_nodes,
            max_depth=self.max_depth,
            by_depth=self.growth == "depth",
            columns=self.max_features,
            monotone=_signs(self.monotonic_cst, names, self._input_names(), self.binning_.nominal),
            together=_sets(self.interaction_cst, names, self._input_names()),
        )
        return Method(
            loss,
            rules,
            learning_rate=self.learning_rate,
            rounds=self.max_iter,
            row_share=self.subsample,
            patience=self.n_iter_no_change if stops else None,
            tol=self.tol,
            keep_best=self.keep_best,
            seed=seed,
            n_jobs=self._jobs,
        )

    def _keep(self, found: Boosted) -> None:
        self.forest_ = found.forest
        self.train_score_, self.validation_score_ = np.array(found.train_scores), np.array(found.test_scores)

    @property
    def n_iter_(self) -> int:
        """Rounds in the model."""
        check_is_fitted(self)
        return self.forest_.n_rounds

    @property
    def n_trees_per_iteration_(self) -> int:
        """Trees of a round."""
        check_is_fitted(self)
        return self.forest_.n_outputs

    @property
    def is_categorical_(self) -> NDArray[np.bool_] | None:
        """Which columns are categories; None where none is."""
        check_is_fitted(self)
        found = np.array([c.kind in (Kind.CATEGORY, Kind.BINARY) for c in self.schema_.columns])
        return found if found.any() else None

    @property
    def feature_importances_(self) -> Floats:
        """Share of the total gain that each column of `schema_` brought; words count for their text."""
        check_is_fitted(self)
        forest = self.forest_
        inner = forest.column >= 0
        sums = np.bincount(forest.column[inner], weights=forest.gain[inner], minlength=len(self.binning_.bins))
        found: Floats = sums @ self.columns_.attribution(self.schema_)
        return found / found.sum() if found.sum() > 0 else found

    def _bins(self, X: Any) -> Bytes:
        table = self._predict_table(X)
        return self.binning_.transform(self.columns_.transform(table), self._jobs)

    def _raw(self, X: Any) -> Floats:
        """The sum of the trees for each row, (n_rows, n_outputs)."""
        check_is_fitted(self)
        return self.forest_.raw(self._bins(X), self._jobs)

    def _staged_raw(self, X: Any) -> Iterator[Floats]:
        """The same after each round."""
        check_is_fitted(self)
        bins, forest = self._bins(X), self.forest_
        raw = np.tile(forest.start, (len(bins), 1))
        for k in range(forest.n_rounds):
            roots = forest.root[k * forest.n_outputs : (k + 1) * forest.n_outputs]
            core.boost_values(replace(forest, root=roots), bins, raw, self._jobs)
            yield raw.copy()

    def _fitted_state(self) -> State:
        return {
            "columns": self.columns_.to_state(),
            "binning": binning_state(self.binning_),
            "forest": self.forest_.arrays(),
            "train_score": self.train_score_,
            "validation_score": self.validation_score_,
            "early_stopping": self.do_early_stopping_,
        }

    def _restore_boosting(self, state: Reader, n_outputs: int) -> None:
        """Set what `_fitted_state` gave."""
        columns = state.child("columns")
        self.columns_ = TreeColumns.from_state(columns, self.schema_)
        columns.finish()
        self.binning_ = binning_from_state(state.child("binning"), self.columns_.single)
        self.forest_ = forest_from_state(state.child("forest"), self.binning_, n_outputs)
        self.train_score_ = state.array("train_score", "float64", (None,))
        self.validation_score_ = state.array("validation_score", "float64", (None,))
        self.do_early_stopping_ = state.flag("early_stopping")


def _take(columns: Columns, rows: Longs | None) -> Columns:
    if rows is None:
        return columns
    return replace(columns, numbers=columns.numbers[rows], codes=columns.codes[rows])


def _rows(bins: Bytes, y: Floats, weight: Floats | None, rows: Longs | None) -> Rows:
    if rows is not None:
        bins, y, weight = bins[rows], y[rows], None if weight is None else weight[rows]
    whole = weight is not None and (weight == np.rint(weight)).all()
    return Rows(bins, y, weight, weight.astype(np.uint32) if weight is not None and whole else None)


def _chosen(named: Any, names: list[str]) -> list[str]:
    """The columns that a mask, places or names say."""
    given = np.asarray(named)
    if given.dtype.kind == "b":
        if len(given) != len(names):
            raise BadParameter(
                f"categorical_features set as a boolean mask should have shape (n_features,): {len(given)} entries for "
                f"{len(names)} columns."
            )
        return [name for name, chosen in zip(names, given, strict=True) if chosen]
    if given.dtype.kind in "iuf":
        wrong = [int(g) for g in given if not 0 <= g < len(names)]
        if wrong:
            raise BadParameter(
                "categorical_features set as integer indices should be in [0, n_features - 1]: "
                f"there is no column {wrong[0]}."
            )
        return [names[int(g)] for g in given]
    unknown = [str(g) for g in given if str(g) not in names]
    if unknown:
        raise BadParameter(
            f"categorical_features has a item value {unknown[0]!r} which is not a valid feature name. "
            f"{did_you_mean(unknown[0], names)}"
        )
    return [str(g) for g in given]


def _signs(given: Any, columns: list[str], names: list[str], nominal: Bytes) -> tuple[int, ...]:
    """The sign of each column that trees test."""
    if given is None:
        return ()
    if not isinstance(given, Mapping):
        if len(given) != len(names):
            raise BadParameter(
                f"monotonic_cst has shape ({len(given)},) but the input data X has {len(names)} features."
            )
        given = dict(zip(names, given, strict=True))
    unknown = [str(name) for name in given if name not in names]
    if unknown:
        raise BadParameter(f"monotonic_cst contains unexpected feature names: {unknown}.")
    found = tuple(int(given.get(name, 0)) for name in columns)
    wrong = [name for name, sign, level in zip(columns, found, nominal, strict=True) if sign and level]
    if wrong:
        raise BadParameter(f"Categorical features cannot have monotonic constraints: {wrong[0]!r}.")
    if set(found) - {-1, 0, 1}:
        raise BadParameter("monotonic_cst must be an array-like of -1, 0 or 1.")
    return found


def _sets(given: Any, columns: list[str], names: list[str]) -> tuple[tuple[int, ...], ...]:
    """Sets of columns that may meet on a path, by place among those that trees test."""
    if given is None:
        return ()
    n = len(names)
    sets: list[tuple[int, ...]]
    if isinstance(given, str):
        sets = [*combinations(range(n), 2 if given == "pairwise" and n > 1 else 1)]
    else:
        sets = [tuple(int(j) for j in one) for one in given]
        if any(not 0 <= j < n for one in sets for j in one):
            raise BadParameter(f"Interaction constraints must consist of integer indices in [0, {n - 1}].")
        rest = tuple(set(range(n)) - {j for one in sets for j in one})
        sets += [rest] if rest else []
    place = {name: k for k, name in enumerate(columns)}
    return tuple(tuple(place[names[j]] for j in one if names[j] in place) for one in sets)
