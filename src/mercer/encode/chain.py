"""Encoders one after the other, and ready-made chains for families of learners."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, Self, TypeVar

from sklearn.base import clone
from sklearn.utils.metaestimators import _BaseComposition

from mercer.docstrings import shares_docs
from mercer.encode.base import Encoder
from mercer.encode.bins import Bins
from mercer.encode.category import Drop, OneHot, TopLevels
from mercer.encode.missing import DropMissing, Impute
from mercer.encode.scale import MinMax, UnitLength, ZScore
from mercer.encode.terms import Log, Polynomial
from mercer.encode.text import BagOfWords
from mercer.errors import BadFile, BadParameter
from mercer.parameters import Choice, Parameters, parameters_state, read_parameters
from mercer.state import Reader, State
from mercer.table import Kind, Schema, Table, kind
from mercer.table.assemble import matrix

STEPS: dict[str, type[Encoder]] = {
    e.__name__: e
    for e in (
        ZScore, MinMax, UnitLength, Impute, DropMissing, OneHot, TopLevels, Bins, Polynomial, Log, BagOfWords,
    )
}  # fmt: skip
AnyEncoder = TypeVar("AnyEncoder", bound=type[Encoder])
Output = Literal["table", "matrix"]
NumberScale = Literal["zscore", "minmax", None]


def chain_step(encoder: AnyEncoder) -> AnyEncoder:
    """A decorator of encoders of other rooms: a chain in a model file may name them."""
    STEPS[encoder.__name__] = encoder
    return encoder


@dataclass(frozen=True, slots=True)
class Steps:
    """A parameter of pairs (name, encoder)."""

    def accepts(self, value: Any) -> bool:
        pairs = isinstance(value, Sequence) and all(isinstance(p, tuple | list) and len(p) == 2 for p in value)
        return pairs and all(isinstance(name, str) and isinstance(step, Encoder) for name, step in value)

    def write(self, value: Any) -> list[State]:
        return [{"name": n, "encoder": type(e).__name__, "parameters": parameters_state(e)} for n, e in value]

    def read(self, state: Reader, name: str) -> list[tuple[str, Encoder]]:
        steps = []
        for reader in state.children(name):
            encoder = STEPS[reader.text("encoder", tuple(STEPS))]
            made = encoder(**read_parameters(reader.child("parameters"), encoder.parameters))
            steps.append((reader.text("name"), made))
            reader.finish()
        return steps

    def __str__(self) -> str:
        return "pairs (name, encoder)"


@shares_docs()
class Chain(Encoder, _BaseComposition):
    """x -> e_k(... e_2(e_1(x))): encoders applied one after the other.

    For preparing a table in one fitted, storable object. Categorical columns stay codes until a step expands them.

    Parameters
    ----------
    steps : sequence of (str, Encoder)
        Name and encoder of each step; parameters of a step are reached as '<name>__<parameter>'.
    output : {"table", "matrix"}, default "table"
        "table" (Table in, Table out), or "matrix" for floats whatever came in: (n_rows, n_columns), a CSR array when
        a step made the numbers sparse.

    Attributes
    ----------
    steps_ : list of (str, Encoder)
        The fitted steps.
    {names_}
    {schema_out_}
    {schema_}
    {n_features_in_}
    {feature_names_in_}

    Examples
    --------
    >>> from mercer.encode import Chain, Impute, ZScore
    >>> chain = Chain([("fill", Impute()), ("scale", ZScore())])
    >>> chain.fit_transform([[1.0], [None], [3.0]]).round(3).ravel().tolist()
    [-1.225, 0.0, 1.225]
    """

    parameters: ClassVar[Parameters] = {"steps": Steps(), "output": Choice(Output)}
    on = None

    def __init__(self, steps: Sequence[tuple[str, Encoder]], output: Output = "table") -> None:
        self.steps = steps
        self.output = output

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The parameters.

        Parameters
        ----------
        deep : bool, default True
            Whether those of the steps are included.

        Returns
        -------
        params : dict of str to object
            Name -> value.
        """
        params: dict[str, Any] = self._get_params("steps", deep=deep)
        return params

    def set_params(self, **params: Any) -> Self:
        """Change parameters, also of steps.

        Parameters
        ----------
        **params : dict
            Name -> value.

        Returns
        -------
        self : Chain
            The same object.
        """
        self._set_params("steps", **params)
        return self

    def _sparse_allowed(self) -> bool:
        return all(isinstance(e, Encoder) and e._sparse_allowed() for _, e in self.steps)

    def _refuse_sparse(self, table: Table) -> None:
        """Each step decides by itself."""

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = any(e.__sklearn_tags__().target_tags.required for _, e in self.steps)
        return tags

    def _learn(self, table: Table, y: Any) -> None:
        self._validate_names([name for name, _ in self.steps])
        self.steps_: list[tuple[str, Encoder]] = []
        for name, encoder in self.steps:
            fitted = clone(encoder)
            table = fitted._encode(table, y)
            self.steps_.append((name, fitted))

    def _schema_out(self, schema: Schema, names: tuple[str, ...]) -> Schema:
        for _, encoder in self.steps_:
            new = dict(zip(encoder.schema_.names, schema.names, strict=True))
            schema = encoder._schema_out(schema, tuple(new[n] for n in encoder.names_))
        return schema

    def _apply(self, table: Table) -> Table:
        for _, encoder in self.steps_:
            table = encoder._apply(table)
        return table

    def _passes(self, name: str) -> bool:
        return all(encoder._passes(name) for _, encoder in self.steps_)

    def _output(self, table: Table, X: Any) -> Any:
        return matrix(table) if self.output == "matrix" else super()._output(table, X)

    @shares_docs()
    def table(self, X: Any) -> Table:
        """The encoded rows as a Table, whatever `output` is.

        Parameters
        ----------
        {X}

        Returns
        -------
        table : Table
            With the columns of `schema_out_`.
        """
        return self._apply(self._predict_table(X))

    @shares_docs()
    def matrix(self, X: Any) -> Any:
        """The encoded rows as floats, whatever `output` is.

        Parameters
        ----------
        {X}

        Returns
        -------
        matrix : ndarray or csr_array of shape (n_rows, n_columns_out)
            Columns as `get_feature_names_out` names them.
        """
        return matrix(self.table(X))

    def _fitted_state(self) -> State:
        return {"steps": [encoder.to_state() for _, encoder in self.steps_]}

    def _restore_fitted(self, state: Reader) -> None:
        readers, schema = state.children("steps"), self.schema_
        if len(readers) != len(self.steps):
            raise state.refuse("steps", f"{len(self.steps)} steps")
        self.steps_ = []
        for (name, encoder), reader in zip(self.steps, readers, strict=True):
            fitted = type(encoder).from_state(reader)
            if fitted.schema_.columns != schema.columns:
                raise BadFile(f"{reader.where}: the columns are not those that the step before makes.")
            self.steps_.append((name, fitted))
            schema = fitted.schema_out_


def dense_recipe(
    *,
    scale: NumberScale = "zscore",
    alpha: float = 1.0,
    drop: Drop = None,
    top: int = 20,
    indicator: bool = False,
    missing_rate: float = 0.95,
    words: int = 1000,
    hashed: bool = False,
    sparse: bool = False,
) -> Chain:
    """Drop nearly empty columns -> impute -> scale numbers -> top levels -> dummies -> words: a float matrix.

    For kernel machines, neighbours and linear models. The matrix is dense unless there is text, `sparse`, or
    the table came sparse (its numbers are then scaled without centring).

    Parameters
    ----------
    scale : {"zscore", "minmax"} or None, default "zscore"
        How numbers are scaled.
    alpha : float, default 1.0
        Size of the dummies, above 0.
    drop : {"first", "common", "binary"} or None, default None
        The dummy of each column that is dropped, see `OneHot`; "first" for linear regression.
    top : int, default 20
        Levels kept of each categorical column; the others become one.
    indicator : bool, default False
        Whether missing cells are flagged by columns of their own.
    missing_rate : float, default 0.95
        Columns with a larger share of missing cells are left out.
    words : int, default 1000
        How many words of each text column, or hashed columns.
    hashed : bool, default False
        Whether words are hashed rather than listed.
    sparse : bool, default False
        Whether the matrix is CSR.

    Returns
    -------
    chain : Chain
        Not fitted.

    Examples
    --------
    >>> import mercer
    >>> from mercer.encode import dense_recipe
    >>> table = mercer.read_table({"age": [20, 30, 40], "job": ["sales", "clerk", None]})
    >>> recipe = dense_recipe().fit(table)
    >>> recipe.get_feature_names_out().tolist()
    ['age', 'job=clerk', 'job=sales']
    >>> recipe.matrix(table).round(3).tolist()
    [[-1.225, 0.0, 1.0], [0.0, 1.0, 0.0], [1.225, 1.0, 0.0]]
    """
    scalers: dict[NumberScale, list[tuple[str, Encoder]]] = {
        "zscore": [("scale", ZScore(center="auto"))], "minmax": [("scale", MinMax())], None: [],
    }  # fmt: skip
    if scale not in scalers:
        said = f"must be {Choice(NumberScale)}. Got {scale!r} instead."
        raise BadParameter(f"The 'scale' parameter of dense_recipe {said}")
    steps: list[tuple[str, Encoder]] = [
        ("empty", DropMissing(missing_rate)),
        ("fill", Impute(indicator=indicator)),
        *scalers[scale],
        ("top", TopLevels(top)),
        ("dummies", OneHot(alpha, drop=drop, sparse=sparse)),
        ("words", BagOfWords(words, hashed=hashed)),
    ]
    return Chain(steps, output="matrix")


def categorical_recipe(*, top: int = 20, missing_rate: float = 0.95) -> Chain:
    """Drop nearly empty columns -> the `top` commonest values of each column, the others as one level: categories.

    For learners on levels alone: similarities by frequency, categorical naive Bayes. Missing cells stay
    missing, and text columns are left as they are.

    Parameters
    ----------
    top : int, default 20
        Values kept of each column.
    missing_rate : float, default 0.95
        Columns with a larger share of missing cells are left out.

    Returns
    -------
    chain : Chain
        Not fitted.

    Examples
    --------
    >>> from mercer.encode import categorical_recipe
    >>> categorical_recipe(top=1).fit_transform([[7.0], [7.0], [8.0], [9.0]]).ravel().tolist()
    [0.0, 0.0, 1.0, 1.0]
    """
    values = kind(*(k for k in Kind if k is not Kind.TEXT))
    return Chain([("empty", DropMissing(missing_rate)), ("top", TopLevels(top, on=values))])
