"""What every encoder does: learn from a table, change the columns selected, pass the others through."""

from __future__ import annotations

from abc import abstractmethod
from collections import Counter
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import TransformerMixin
from sklearn.utils._set_output import _get_output_config
from sklearn.utils.validation import _check_feature_names_in, check_is_fitted

from mercer.docstrings import shares_docs
from mercer.errors import BadColumn, BadFile, BadTable
from mercer.parameters import Parameters, check_parameters
from mercer.state import Reader, State
from mercer.table import Cause, Columns, Kind, Schema, Selector, Table, read_table, resolve
from mercer.table.assemble import cells, matrix, with_names
from mercer.table.estimator import TableEstimator, is_array
from mercer.table.formats.containers import with_columns_of
from mercer.table.formats.frames import is_frame
from mercer.table.kinds.parts import part_name
from mercer.table.schema import representatives


@shares_docs()
class Encoder(TransformerMixin, TableEstimator):
    """Base of encoders: Table or data frame in, Table out; array in, array out.

    A Table is an array to scikit-learn's learners, so that encoders stand before them, in a ColumnTransformer or in a
    FeatureUnion as its own transformers do; sparse numbers of a data frame become a CSR array. After
    `set_output(transform="pandas")` or "polars" they return data frames, with levels as categories; columns that pass
    unchanged keep their types.

    Only the columns that `on` selects are changed; None selects every column of the kinds in `default`. A
    subclass says what it learns (`_learn`), what the columns become (`_schema_out`, from the schema and the
    fitted values alone) and how cells change (`_apply`).

    Attributes
    ----------
    {names_}
    {schema_out_}
    {schema_}
    {n_features_in_}
    {feature_names_in_}

    Examples
    --------
    >>> from mercer.encode import Encoder, ZScore
    >>> isinstance(ZScore(), Encoder)
    True
    """

    takes: ClassVar[tuple[Kind, ...]] = tuple(Kind)
    default: ClassVar[tuple[Kind, ...]] = ()  # empty: all that it takes
    parameters: ClassVar[Parameters] = {"on": Columns()}
    keeps_zeros: ClassVar[bool] = True  # whether sparse numbers stay sparse
    selects: ClassVar[bool] = False  # whether columns are left out or pass, unchanged
    on: Selector
    names_: tuple[str, ...]
    schema_out_: Schema

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = self._sparse_allowed()
        return tags

    def _sparse_allowed(self) -> bool:
        return self.keeps_zeros

    @shares_docs()
    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn from a table, data frame or array.

        Parameters
        ----------
        {X}
        y : array-like of shape (n_rows,) or None, default None
            The target, for supervised encoders; the others do not look at it.

        Returns
        -------
        {self}
        """
        self._fit(X, y)
        return self

    @shares_docs()
    def transform(self, X: Any) -> Any:
        """The same rows, encoded.

        Parameters
        ----------
        {X}

        Returns
        -------
        {encoded}
        """
        return self._output(self._apply(self._predict_table(X)), X)

    @shares_docs()
    def fit_transform(self, X: Any, y: Any = None) -> Any:
        """`fit` and `transform` in one, reading X once.

        Parameters
        ----------
        {X}
        y : array-like of shape (n_rows,) or None, default None
            The target, for supervised encoders; the others do not look at it.

        Returns
        -------
        {encoded}
        """
        return self._output(self._encode(X, y), X)

    def _encode(self, X: Any, y: Any = None) -> Table:
        """`fit_transform` whose result is a Table, whatever X is and `set_output` says."""
        return self._apply(self._fit(X, y))

    def _fit(self, X: Any, y: Any) -> Table:
        check_parameters(self)
        table = self._fit_table(X)
        if table.n_rows == 0:
            raise BadTable("The table has no rows to learn from.")
        self.names_ = self._chosen(table.schema)
        self._refuse_sparse(table)
        self._learn(table, y)
        self.schema_out_ = self._checked_out(table.schema)
        return table

    def _named_table(self, X: Any) -> Table:
        """A constant column that is all there is stays a category: training folds of a rare level are no error."""
        table = super()._named_table(X)
        constant = {c.name: "category" for c in table.schema.left_out if c.cause is Cause.CONSTANT}
        return table if len(table.schema) or not constant else read_table(X, kinds=constant)

    def _chosen(self, schema: Schema) -> tuple[str, ...]:
        if self.on is None:
            return tuple(schema.of_kind(*(self.default or self.takes)))
        names = tuple(dict.fromkeys(resolve(self.on, schema)))
        for name in names:
            if schema[name].kind not in self.takes:
                raise BadColumn(
                    f"{type(self).__name__} works on {' and '.join(self.takes)} columns, but {name!r} is "
                    f"{schema[name].kind}. Leave it out of on=."
                )
        return names

    def _checked_out(self, schema: Schema) -> Schema:
        out = self._schema_out(schema, self.names_)
        if not len(out):
            raise BadTable(f"{type(self).__name__} would leave no column.")
        if len(set(out.names)) < len(out):
            twice = next(n for n, times in Counter(out.names).items() if times > 1)
            raise BadColumn(f"{type(self).__name__} would make two columns {twice!r}. Rename a column first.")
        return out

    def _learn(self, table: Table, y: Any) -> None:
        """Set the fitted values from the chosen columns `names_`."""

    def _schema_out(self, schema: Schema, names: tuple[str, ...]) -> Schema:
        """What the columns become; `names` are the chosen ones, in the order of the fitted values."""
        return schema

    @abstractmethod
    def _apply(self, table: Table) -> Table:
        """The table with the chosen columns changed."""

    def _output(self, table: Table, X: Any) -> Any:
        library = _get_output_config("transform", self)["dense"]
        if isinstance(X, Table) and library == "default":
            return table
        numeric = len(table.schema.numeric_names) == len(table.schema)
        if is_array(X):
            return matrix(table) if numeric or len(self.schema_.numeric_names) == len(self.schema_) else cells(table)
        if table.is_sparse and (library != "default" or (numeric and is_frame(X))):
            return table.csr()  # no data frame holds it, as scikit-learn then says
        if library == "default":
            return table
        frame = table.to_pandas(getattr(X, "index", None)) if library == "pandas" else table.to_polars()
        return with_columns_of(frame, X, [name for name in table if self._passes(name)])

    def _passes(self, name: str) -> bool:
        """Whether the cells of an input column are returned as they came."""
        return name in self.schema_ and (name not in self.names_ or self.selects)

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[np.object_]:
        """Names of the columns that `transform` returns.

        Parameters
        ----------
        input_features : array-like of str or None, default None
            Names to give the columns of an array that has none.

        Returns
        -------
        names : ndarray of shape (n_columns_out,)
            As in `schema_out_`.
        """
        check_is_fitted(self, "schema_out_")
        named = _check_feature_names_in(self, input_features)
        if self.schema_.named or input_features is None:
            return np.array(self.schema_out_.names, dtype=object)
        new = dict(zip(self.schema_.input_names, (str(n) for n in named), strict=True))
        parts = [c for c in representatives(self.schema_.columns) if c.part]
        new |= {c.name: part_name(new[c.origin], c.part, new.get(c.since, "")) for c in parts}
        out = self._schema_out(with_names(self.schema_, new), tuple(new[n] for n in self.names_))
        return np.array(out.names, dtype=object)

    @classmethod
    def from_state(cls, state: Reader) -> Self:
        """The fitted encoder that `to_state` wrote, every value checked."""
        encoder = super().from_state(state)
        state.derive("fitted", encoder._names_size())
        encoder.schema_out_ = encoder._checked_out(encoder.schema_)
        return encoder

    def _restore_input(self, state: Reader) -> None:
        super()._restore_input(state)
        try:
            self.names_ = self._chosen(self.schema_)
        except BadColumn as error:
            raise BadFile(f"{state.where} does not have the columns of on=: {error}") from None

    def _names_size(self) -> float:
        """Bytes that the columns made by a fitted encoder take, where they are more than its own state."""
        return 0.0

    def _fitted_state(self) -> State:
        return {}

    def _restore_fitted(self, state: Reader) -> None:
        """Set the fitted values from checked ones."""

    def _refuse_sparse(self, table: Table) -> None:
        if table.is_sparse and self.names_ and not self._sparse_allowed():
            raise BadTable(
                f"{type(self).__name__} would fill a sparse table with numbers that are not zero. "
                "Give it a dense array, or use one that keeps zeros: UnitLength, ZScore(center=False)."
            )


def known_numbers(table: Table, names: tuple[str, ...]) -> NDArray[np.float64]:
    """The numbers of these columns as float64; a column without a single known number is refused."""
    values = table.numbers(names).astype(np.float64, copy=False)
    refuse_empty(np.asarray(np.isnan(values).all(axis=0)), names)
    return values


def refuse_empty(empty: NDArray[np.bool_], names: tuple[str, ...]) -> None:
    """BadColumn where a column has no known number."""
    if empty.any():
        name = names[int(empty.argmax())]
        raise BadColumn(f"Column {name!r} has no known number to learn from. Leave it out (DropMissing).")
