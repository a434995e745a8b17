"""What boosted classifiers and regressors share: from a table to trees, predictions, storing."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from mercer._core import boost as core
from mercer.arrays import Floats
from mercer.errors import BadParameter
from mercer.estimators.boosting.contributions import explain_boosted_rows
from mercer.estimators.boosting.predictors import Predictors, predictors
from mercer.estimators.boosting.state import binning_from_state, binning_state, forest_from_state
from mercer.estimators.boosting.training.constraints import chosen_columns, interaction_sets, monotone_signs
from mercer.estimators.boosting.training.leaves import fewest_rows
from mercer.estimators.boosting.training.rounds import round_printer
from mercer.estimators.boosting.training.rows import BinRules, LabelledRows, Score, TableRows
from mercer.estimators.boosting.training.shared import SharedBins
from mercer.estimators.common.explanations.explanation import Explanation
from mercer.estimators.tree.columns import TreeColumns
from mercer.solvers.boost.binning import Binning, Bytes
from mercer.solvers.boost.boost import Boosted, Method
from mercer.solvers.boost.forest import Forest
from mercer.solvers.boost.losses import Loss
from mercer.solvers.boost.rules import TreeRules
from mercer.state import Reader, State
from mercer.table import Kind, Table, open_source, read_table
from mercer.table.estimator import TableEstimator, is_array

LOGARITHMIC = ("poisson", "gamma")  # losses of which the sum of trees is the logarithm of the answer
# Least hessian of a leaf of classes; an even row has 0.25. With scikit-learn's 1e-3 a leaf of rows that are certain but
# for one takes a step of 1 / 1e-3: the log-loss of covtype's rare class 4 (60,000 rows, 100 rounds) is then .075, with
# 0.1 it is .0086; of its common class 2 it is the same to five digits.
LEAST_HESSIAN = 0.1
# l2_regularization and max_features "auto", up to so many rows and beyond: on four test quarters each of twelve tables
# of 230 to 5,900 rows the first gained 0.003 of AUC or R^2 on average, on three of 12,000 rows it lost 0.004.
FEW_ROWS, FEW_ROWS_RESTRAINT, MANY_ROWS_RESTRAINT = 8000, (5.0, 0.3), (1.0, 0.5)
MANY_ROWS = 10_000  # above which early_stopping="auto" sets rows aside


class BaseBoosting(TableEstimator):
    """Base of boosted trees: a subclass reads its target, then calls `_boost`."""

    forest_: Forest
    binning_: Binning
    columns_: TreeColumns
    booleans_are_numbers = True
    takes_infinity = True
    _random_seed: int
    _shared_bins: SharedBins | None = None

    def _boost_table(self, X: Any) -> Table:
        """The table to learn from, with the columns that `categorical_features` names as categories."""
        if self._goes_on:
            return self._predict_table(X)
        table = self._fit_table(X)
        given = self.categorical_features
        if given is None or isinstance(given, str):
            return table
        names = self._input_names()
        named = chosen_columns(given, names, not is_array(X) or hasattr(self, "feature_names_in_"))
        if {*named} <= {c.name for c in table.schema if c.kind.categorical}:
            return table
        if isinstance(X, Table):
            raise BadParameter(
                f"categorical_features names {named[0]!r}, but the kinds of a Table are known already. "
                f"Use read_table(..., kinds={{{named[0]!r}: 'category'}})."
            )
        numbers = is_array(X) and len(table.schema.numeric_names) == len(names)
        kinds = dict.fromkeys(names, "numeric") if numbers else {**(self.kinds or {})}
        cells = open_source(dict(zip(names, np.asarray(X).T, strict=True)) if is_array(X) else X)
        for name in named:  # a number below 0 is a missing cell
            column = cells.columns[name]
            if column.dtype.is_numeric():
                cells.columns[name] = column.set(column < 0, None)
        table = read_table(cells, kinds={**kinds, **dict.fromkeys(named, "category")})
        self.schema_ = table.schema
        return table

    @property
    def _goes_on(self) -> bool:
        return bool(self.warm_start) and hasattr(self, "forest_")

    def _expect_same_task(self, n_outputs: int) -> None:
        """BadParameter where `fit` cannot go on from the trees that there are."""
        if self.max_iter < self.n_iter_:
            raise BadParameter(
                f"max_iter={self.max_iter} must be larger than or equal to n_iter_={self.n_iter_} when warm_start==True"
            )
        if n_outputs != self.forest_.n_outputs:
            raise BadParameter(
                "warm_start=True goes on from trees of other classes than those of y. Use warm_start=False."
            )

    def _boost(self, rows: LabelledRows, loss: Loss, score: Score, held: LabelledRows | None, stratify: bool) -> None:
        """Set rows aside unless `held` are given, bin the columns and add trees; sets what was found.

        `stratify`: whether as many rows of each class are set aside.
        """
        goes_on = self._goes_on
        if goes_on:
            self._expect_same_task(loss.n_outputs)
        else:
            self._random_seed = int(check_random_state(self.random_state).randint(2**32 - 1, dtype="u8"))
        rows = rows.counted()
        self.do_early_stopping_ = self._stops(len(rows.y), held)
        if held is None and self.do_early_stopping_ and self.validation_fraction is not None:
            rows, held = self._split(rows, stratify)
        if goes_on:
            learned = rows.binned(self.columns_, self.binning_, self._jobs)
        else:
            self.columns_, self.binning_, learned = self._learn_bins(rows)
        tested = None
        if held is not None and self.do_early_stopping_:
            tested = held.binned(self.columns_, self.binning_, self._jobs)
        show = round_printer(self.max_iter) if self.verbose else None

        def tell(done: int) -> bool:
            if rows.progress is not None:
                rows.progress(done / self.max_iter)
            return show is None or show(done)

        step = None if show is None and rows.progress is None else tell
        method = self._method(loss, fewest_rows(self.min_samples_leaf, learned), len(learned.y))
        given = learned, tested, self.binning_, method, score
        found = rows.boosted(*given, begin=self._begin() if goes_on else None, step=step)
        self.forest_ = found.forest
        self.train_score_, self.validation_score_ = np.array(found.train_scores), np.array(found.test_scores)

    def _learn_bins(self, rows: LabelledRows) -> tuple[TreeColumns, Binning, Any]:
        rules = BinRules(self.words, self.max_bins, self._random_seed, self._jobs)
        if self._shared_bins is not None and isinstance(rows, TableRows):
            return self._shared_bins.learn(rows, rules)
        return rows.learn_bins(rules)

    def _held_rows(self, X: Any, y: Any, weight: Any, read: Callable[[Any, int], Floats]) -> LabelledRows | None:
        """The rows given to score rounds on, `read` with their target; None where there are none."""
        if X is None and y is None:
            return None
        for given, wanted, name, other in ((X, y, "X_val", "y_val"), (y, X, "y_val", "X_val")):
            if given is not None and wanted is None:
                raise BadParameter(f"{name} is provided, but {other} was not provided. Give both to fit.")
        table = self._predict_table(X)
        return TableRows(read(y, len(table)), self._weights(weight, len(table)), table).counted()

    def _begin(self) -> Boosted:
        """What there is; scores of rounds that were dropped are not."""
        n = self.n_iter_ + 1
        return Boosted(self.forest_, [*self.train_score_[:n]], [*self.validation_score_[:n]])

    def _stops(self, n_rows: int, held: LabelledRows | None) -> bool:
        if held is not None and self.early_stopping is False:
            raise BadParameter(
                "X_val and y_val are passed to fit while at the same time early_stopping is False. When passing X_val "
                "and y_val to fit, early_stopping should be set to either 'auto' or True."
            )
        return self.early_stopping is True or (self.early_stopping == "auto" and n_rows > MANY_ROWS)

    def _split(self, rows: LabelledRows, stratify: bool) -> tuple[LabelledRows, LabelledRows]:
        """Rows to learn from, and rows set aside."""
        few = stratify and np.unique(rows.y, return_counts=True)[1].min() < 2
        train, test = rows.split(self.validation_fraction, stratify and not few, self._random_seed)
        return rows.take(train), rows.take(test)

    def _method(self, loss: Loss, min_rows: int, n_rows: int) -> Method:
        names = [c.name for c in self.columns_.single]
        l2, share = FEW_ROWS_RESTRAINT if n_rows <= FEW_ROWS else MANY_ROWS_RESTRAINT
        rules = TreeRules(
            l2=l2 if self.l2_regularization == "auto" else self.l2_regularization,
            min_rows=min_rows,
            min_hessian=LEAST_HESSIAN if loss.name in ("log_loss", "softmax") else TreeRules.min_hessian,
            max_leaves=self.max_leaf_nodes,
            max_depth=self.max_depth,
            by_depth=self.growth == "depth",
            columns=share if self.max_features == "auto" else self.max_features,
            monotone=monotone_signs(self, names, self.binning_.nominal),
            together=interaction_sets(self.interaction_cst, names, self._input_names()),
        )
        return Method(
            loss,
            rules,
            learning_rate=self.learning_rate,
            rounds=self.max_iter,
            row_share=self.subsample,
            patience=self.n_iter_no_change if self.do_early_stopping_ else None,
            tol=self.tol,
            keep_best=self.keep_best,
            seed=self._random_seed,
            n_jobs=self._jobs,
        )

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

    @property
    def _predictors(self) -> Predictors:
        """The trees of each round as scikit-learn keeps them: programs that look at trees have no other way."""
        return predictors(self.forest_, self.binning_, self._places())

    def _places(self) -> list[int]:
        """Where in X each column is that trees test; words are where their text is."""
        names = self._input_names()
        owners = self.columns_.attribution(self.schema_).argmax(axis=1)
        sources = [self.schema_.columns[j] for j in owners]
        return [names.index(c.origin or c.name) if (c.origin or c.name) in names else -1 for c in sources]

    def _bins(self, X: Any) -> Bytes:
        table = self._predict_table(X)
        if self._shared_bins is not None:
            return self._shared_bins.transform(table, self.columns_, self.binning_, self._jobs)
        return self.binning_.transform(self.columns_.transform(table), self._jobs)

    def _raw_predict(self, X: Any) -> Floats:
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

    def _explain_columns(self, X: Any) -> Explanation | None:
        """What each column adds to the sum of the trees; None where the answer is another function of it."""
        if getattr(self, "loss", "") in LOGARITHMIC:
            return None
        table = self._predict_table(X)
        classes = getattr(self, "classes_", None)
        if classes is not None and len(classes) < 2:
            return None
        bins = self.binning_.transform(self.columns_.transform(table), self._jobs)
        return explain_boosted_rows(self.forest_, self.columns_, bins, table, classes)

    def _fitted_state(self) -> State:
        return {
            "columns": self.columns_.to_state(),
            "binning": binning_state(self.binning_),
            "forest": self.forest_.arrays(),
            "train_score": self.train_score_,
            "validation_score": self.validation_score_,
            "early_stopping": self.do_early_stopping_,
            "seed": self._random_seed,
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
        self._random_seed = state.integer("seed", 0, 2**32 - 1)
