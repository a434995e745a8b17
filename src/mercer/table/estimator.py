"""What every estimator and encoder does with its input: a table at fitting, the same schema at prediction."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.utils import assert_all_finite
from sklearn.utils.validation import _check_sample_weight, check_array, check_is_fitted, validate_data

from mercer._core import effective_jobs
from mercer.arrays import Floats
from mercer.errors import BadColumn, BadFile, BadTable, MercerError
from mercer.parameters import Parameters, parameters_state, read_parameters
from mercer.state import LARGEST, Reader, State
from mercer.table.blocks import Numbers, all_finite
from mercer.table.formats.frames import (
    booleans_as_numbers,
    collected,
    distinct_names,
    is_frame,
    is_records,
    unmasked,
)
from mercer.table.missingness import NO_INDICATORS, MissingIndicator, MissingIndicators, indicator_kind
from mercer.table.read import conform_table, from_array, open_source, read_table
from mercer.table.schema import Kind, Schema
from mercer.table.table import Table


class TableEstimator(BaseEstimator):
    """Base of estimators that take arrays, sparse matrices, data frames and Tables alike.

    After `fit`, `schema_` says what the columns are; at prediction columns are found by name, in any order.
    """

    parameters: ClassVar[Parameters] = {}
    takes_infinity: ClassVar[bool] = False
    """Whether numbers of an array may be infinite."""
    settled: ClassVar[tuple[str, ...]] = ()
    """Parameters that say what fitted values mean: set to another value after a fit, they ask for a new one."""
    _settled: Mapping[str, Any] = {}  # their values in the last fit
    booleans_are_numbers: ClassVar[bool] = False
    """Whether booleans of a data frame are 0 and 1 where all else is numbers, as scikit-learn reads it."""
    schema_: Schema
    n_features_in_: int
    missing_indicator: MissingIndicator = "auto"
    missing_indicators_: MissingIndicators = NO_INDICATORS

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.sparse = True
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        return tags

    def _fit_table(self, X: Any) -> Table:
        """The table to learn from; sets `schema_`, `n_features_in_` and, for named columns, `feature_names_in_`."""
        table = self._array_table(X, reset=True) if is_array(X) else self._named_table(X)
        if not len(table.schema):
            reasons = "; ".join(f"{c.name!r}: {c.reason}" for c in table.schema.left_out[:3])
            raise BadTable(f"No column is left to learn from ({reasons}).")
        self.schema_, self.missing_indicators_ = table.schema, NO_INDICATORS
        self._settle()
        return table

    def _settle(self) -> None:
        self._settled = {name: getattr(self, name) for name in self.settled}

    def _refuse_changed(self) -> None:
        """MercerError where a parameter is not what the last fit went by."""
        for name, fitted in self._settled.items():
            now = getattr(self, name)
            if now is not fitted and now != fitted:
                raise MercerError(
                    f"{name}={now!r} was set after the fit of this {type(self).__name__}, which went by {fitted!r}. "
                    "Fit it again, or set it back."
                )

    def _flag_missing(
        self, table: Table, targets: Sequence[Any], counts: Floats | None, kind: Kind | None = None
    ) -> Table:
        """The training table with a column "<name> is missing" where that tells something about the target.

        targets : class codes or numbers of each target; counts : how many rows each row stands for, or None
        """
        kind = indicator_kind(table.schema) if kind is None else kind
        self.missing_indicators_ = MissingIndicators.learn(table, targets, counts, kind, self.missing_indicator)
        return self.missing_indicators_.apply(table)

    @property
    def _learned_schema(self) -> Schema:
        """What the estimator learned from: the columns of the input and their missing indicators."""
        return self.missing_indicators_.schema(self.schema_)

    def _named_table(self, X: Any) -> Table:
        X = collected(X)
        kinds = getattr(self, "kinds", None)
        as_numbers = self._reads_as_numbers() and not kinds and is_frame(X) and not isinstance(X, Table)
        table = read_table(booleans_as_numbers(open_source(X)) if as_numbers else X, kinds=kinds)
        if hasattr(X, "columns") and not isinstance(X, Table):
            validate_data(
                self, distinct_names(X), skip_check_array=True
            )  # scikit-learn's rules for the names of a data frame
        else:
            names = [*table.schema.input_names, *(c.name for c in table.schema.left_out)]
            if isinstance(X, Mapping):  # in their order, by which the columns of an array are found
                names = [str(name) for name in X]
            self.n_features_in_ = len(names)
            if set(names) == {f"x{j}" for j in range(len(names))}:  # of an array, which has places and no names
                self.__dict__.pop("feature_names_in_", None)
            else:
                self.feature_names_in_ = np.array(names, dtype=object)
        return table

    def _reads_as_numbers(self) -> bool:
        return self.booleans_are_numbers

    def _array_table(self, X: Any, *, reset: bool) -> Table:
        """Arrays are checked as scikit-learn checks them; objects that are not numbers become a mixed table."""
        if isinstance(X, str):
            raise BadTable(f"X is the text {X!r}, not a table. Read a file first: mercer.read_table({X!r}).")
        if not sp.issparse(X):
            X = np.asarray(unmasked(X))
            if X.dtype.kind in "OUS" and not _is_numeric(X):
                return self._object_table(X, reset=reset)
        with np.errstate(invalid="ignore"):  # the sum of numbers near the end of float32, by which it looks for NaN
            X = validate_data(
                self,
                X,
                reset=reset,
                accept_sparse="csr",
                dtype=[np.float64, np.float32],
                ensure_all_finite="allow-nan" if sp.issparse(X) else False,
            )
        if sp.issparse(X):
            return from_array(X)
        complete = all_finite(X)
        if not complete and not self.takes_infinity:
            with np.errstate(invalid="ignore"):  # the sum of infinities of both signs
                assert_all_finite(X, allow_nan=True, estimator_name=type(self).__name__, input_name="X")
        return replace(from_array(X), number_block=Numbers(X, complete))

    def _object_table(self, X: NDArray[Any], *, reset: bool) -> Table:
        X = X.astype(object)
        if X.ndim != 2:
            check_array(X, dtype=None)  # raises scikit-learn's own message
        validate_data(self, X, reset=reset, skip_check_array=True)
        if reset:
            return read_table(X, kinds=getattr(self, "kinds", None))
        return conform_table(dict(zip(self._input_names(), X.T, strict=True)), self.schema_)

    def _input_names(self) -> list[str]:
        names = getattr(self, "feature_names_in_", None)
        return [f"x{j}" for j in range(self.n_features_in_)] if names is None else [str(n) for n in names]

    def _predict_table(self, X: Any) -> Table:
        """The table to predict on: the columns that the estimator learned from."""
        return self.missing_indicators_.apply(self._input_table(X))

    def _input_table(self, X: Any) -> Table:
        """The rows in the fitted schema."""
        check_is_fitted(self)
        self._refuse_changed()
        if not is_array(X):
            return conform_table(self._by_position(X), self.schema_)
        table = self._array_table(X, reset=False)
        if table.schema.columns == self.schema_.columns:
            return table
        if table.shape[1] == len(self.schema_) and len(self.schema_.numeric_names) == len(self.schema_):
            return conform_table(table.number_block.values, self.schema_)
        if not self.schema_.named and table.schema.names != self.schema_.names:
            raise BadColumn(f"The model expects the columns {', '.join(self.schema_.names[:5])}, ...")
        return conform_table(dict(zip(self._input_names(), table.numbers().T, strict=True)), self.schema_)

    def _by_position(self, X: Any) -> Any:
        """Columns of a data frame or mapping under the names x0, x1, ... of a model that was fitted to an array."""
        names = self._input_names()
        by_name = hasattr(self, "feature_names_in_") or not set(self.schema_.input_names) <= set(names)
        if by_name or isinstance(X, Table | Path):
            return X
        X = collected(X)
        source = open_source(X)
        if set(self.schema_.input_names) <= set(source.columns):
            return source
        if hasattr(X, "columns"):
            validate_data(self, distinct_names(X), reset=False, skip_check_array=True)  # warns of unexpected names
        if len(source.columns) != len(names):
            raise BadColumn(f"X has {len(source.columns)} columns, but the model was fitted to {len(names)}.")
        columns = dict(zip(names, source.columns.values(), strict=True))
        typed = frozenset(n for n, old in zip(names, source.columns, strict=True) if old in source.typed)
        return replace(source, columns=columns, typed=typed)

    def _weights(self, sample_weight: Any, n_rows: int) -> NDArray[np.float64] | None:
        if sample_weight is None:
            return None
        rows = np.empty((n_rows, 1))
        weights: NDArray[np.float64] = _check_sample_weight(
            sample_weight, rows, dtype=np.float64, ensure_non_negative=True
        )
        if not weights.any():
            raise BadTable("Every sample_weight is zero: there is no row to learn from.")
        if weights.max() > LARGEST:
            raise BadTable(f"sample_weight goes up to {weights.max():.3g}; the largest allowed is {LARGEST:g}.")
        return weights

    def _input_state(self) -> State:
        """What the estimator expects as input, as plain data."""
        names = [str(n) for n in getattr(self, "feature_names_in_", ())]
        state = {"schema": self.schema_.to_state(), "n_columns": int(self.n_features_in_), "names": names}
        if self.missing_indicators_.columns:
            state["missing_indicators"] = self.missing_indicators_.to_state()
        return state

    def _restore_input(self, state: Reader) -> None:
        self.schema_ = Schema.from_state(state.child("schema"))
        self.n_features_in_ = state.integer("n_columns", 1)
        names = state.texts("names")
        if names:
            if len(names) != self.n_features_in_ or not set(self.schema_.input_names) <= set(names):
                raise BadFile(f"{state.where}.names do not fit the schema.")
            self.feature_names_in_ = np.array(names, dtype=object)
        if state.has("missing_indicators"):
            self.missing_indicators_ = MissingIndicators.from_state(state.child("missing_indicators"), self.schema_)
        state.finish()

    @property
    def _jobs(self) -> int:
        return effective_jobs(getattr(self, "n_jobs", None))

    def to_state(self) -> State:
        """Parameters, expected input and fitted values as plain data, for a model file."""
        check_is_fitted(self)
        self._refuse_changed()
        return {
            "parameters": parameters_state(self),
            "input": self._input_state(),
            "fitted": self._checked_state(),
        }

    def _checked_state(self) -> State:
        """What fit found; MercerError where the parameters now ask for a value that it did not set."""
        try:
            return self._fitted_state()
        except AttributeError as error:
            if error.obj is not self or not (error.name or "").endswith("_"):
                raise
            raise self._not_found(str(error.name)) from error

    def _found(self, name: str) -> Any:
        """What fit found, by the name of an attribute; MercerError where it did not, as its parameters were others."""
        if not hasattr(self, name):
            raise self._not_found(name)
        return getattr(self, name)

    def _not_found(self, name: str) -> MercerError:
        return MercerError(
            f"This {type(self).__name__} has no {name}, which its parameters ask for: they were changed after it had "
            "been fitted. Fit it again, or set them back."
        )

    @classmethod
    def from_state(cls, state: Reader) -> Self:
        """The fitted estimator that `to_state` wrote, every value checked."""
        model = cls(**read_parameters(state.child("parameters"), cls.parameters))
        model._settle()
        model._restore_input(state.child("input"))
        fitted = state.child("fitted")
        model._restore_fitted(fitted)
        fitted.finish()
        state.finish()
        return model

    def _fitted_state(self) -> State:
        """What fit found, as plain data."""
        raise NotImplementedError(f"{type(self).__name__} cannot be stored.")

    def _restore_fitted(self, state: Reader) -> None:
        """Set what `_fitted_state` gave, checked."""
        raise NotImplementedError(f"{type(self).__name__} cannot be stored.")


def prediction_table(estimator: TableEstimator, X: Any) -> Table:
    """The rows of `X` in the schema of a fitted estimator: what is predicted often is built once."""
    return estimator._input_table(X)


def is_array(X: Any) -> bool:
    """What scikit-learn takes as an array, rather than a data frame, mapping, list of dicts, path or Table."""
    if is_records(X):
        return False
    if isinstance(X, np.ndarray | list | tuple) or sp.issparse(X) or np.isscalar(X) or X is None:
        return True
    return hasattr(X, "__array__") and not is_frame(X)


def _is_numeric(X: NDArray[Any]) -> bool:
    """Whether an array of objects is numbers (None among them); TypeError for what is neither number nor text."""
    try:
        X.astype(np.float64)
        return True
    except ValueError:
        return False
    except TypeError as error:
        if any(not isinstance(v, str | float | int | np.generic | type(None)) for v in X.ravel()):
            raise TypeError(f"argument must be a string or a number: {error}") from None
        return False
