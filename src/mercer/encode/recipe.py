"""Encoders one after the other, and the chains that kinds of learners start from."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Self

from sklearn.base import clone
from sklearn.utils.metaestimators import _BaseComposition
from sklearn.utils.validation import check_is_fitted

from mercer.encode.base import Encoder
from mercer.encode.bins import Bins
from mercer.encode.category import OneHot, TopLevels
from mercer.encode.missing import DropMissing, Impute
from mercer.encode.scale import MinMax, UnitLength, ZScore
from mercer.encode.selection import SelectByForest
from mercer.encode.terms import Log, Polynomial
from mercer.encode.text import BagOfWords
from mercer.errors import BadFile, MercerError
from mercer.parameters import Choice, Parameters, check_parameters
from mercer.state import Reader, State
from mercer.table import Kind, Schema, Table, kind
from mercer.table.assemble import matrix

STEPS: dict[str, type[Encoder]] = {
    e.__name__: e
    for e in (
        ZScore, MinMax, UnitLength, Impute, DropMissing, OneHot, TopLevels, Bins, Polynomial, Log, BagOfWords,
        SelectByForest,
    )
}  # fmt: skip


class Chain(Encoder, _BaseComposition):
    """x -> e_k(... e_2(e_1(x))): encoders applied one after the other.

    For preparing a table in one fitted, storable object. Codes stay codes until a step expands them.

    Parameters
    ----------
    steps : pairs (name, encoder); parameters of a step are reached as '<name>__<parameter>'
    output : "table" (Table in, Table out), or "matrix" for floats whatever came in: (n_rows, n_columns), a
        CSR array when a step made the numbers sparse

    Examples
    --------
    >>> from mercer.encode import Chain, Impute, ZScore
    >>> chain = Chain([("fill", Impute()), ("scale", ZScore())])
    >>> chain.fit_transform([[1.0], [None], [3.0]]).round(3).ravel().tolist()
    [-1.225, 0.0, 1.225]
    """

    parameters: ClassVar[Parameters] = {"output": Choice(("table", "matrix"))}
    on = None

    def __init__(self, steps: Sequence[tuple[str, Encoder]], output: str = "table") -> None:
        self.steps = steps
        self.output = output

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Parameters, those of the steps included when `deep`."""
        params: dict[str, Any] = self._get_params("steps", deep=deep)
        return params

    def set_params(self, **params: Any) -> Self:
        """Change parameters, also of steps."""
        self._set_params("steps", **params)
        return self

    def _sparse_allowed(self) -> bool:
        return all(isinstance(e, Encoder) and e._sparse_allowed() for _, e in self.steps)

    def _refuse_sparse(self, table: Table) -> None:
        """Each step judges for itself."""

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = any(e.__sklearn_tags__().target_tags.required for _, e in self.steps)
        return tags

    def _learn(self, table: Table, y: Any) -> None:
        check_parameters(self)
        self._validate_names([name for name, _ in self.steps])
        for name, encoder in self.steps:
            if not isinstance(encoder, Encoder):
                raise MercerError(f"Step {name!r} is a {type(encoder).__name__}, not an encoder.")
        self.steps_: list[tuple[str, Encoder]] = []
        for name, encoder in self.steps:
            fitted = clone(encoder)
            table = fitted.fit_transform(table, y)
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

    def _output(self, table: Table, X: Any) -> Any:
        return matrix(table) if self.output == "matrix" else super()._output(table, X)

    def table(self, X: Any) -> Table:
        """The encoded rows as a Table."""
        return self._apply(self._predict_table(X))

    def matrix(self, X: Any) -> Any:
        """The encoded rows as floats, dense or CSR; columns as `get_feature_names_out` names them."""
        return matrix(self.table(X))

    def to_state(self) -> State:
        check_is_fitted(self, "schema_out_")
        steps = [{"name": n, "encoder": type(e).__name__, "state": e.to_state()} for n, e in self.steps_]
        return {"output": self.output, "input": self._input_state(), "steps": steps}

    @classmethod
    def from_state(cls, state: Reader) -> Self:
        steps: list[tuple[str, Encoder]] = []
        for reader in state.children("steps"):
            encoder = STEPS[reader.text("encoder", tuple(STEPS))]
            steps.append((reader.text("name"), encoder.from_state(reader.child("state"))))
            reader.finish()
        chain = cls([(n, clone(e)) for n, e in steps], state.text("output", ("table", "matrix")))
        chain._restore_input(state.child("input"))
        chain.names_, chain.steps_ = chain.schema_.names, steps
        schema = chain.schema_
        for _, encoder in steps:
            if encoder.schema_.columns != schema.columns:
                raise BadFile(f"{state.where}.steps do not follow each other.")
            schema = encoder.schema_out_
        chain.schema_out_ = chain._checked_out(chain.schema_)
        state.finish()
        return chain


def dense_recipe(
    *,
    scale: str | None = "zscore",
    alpha: float = 1.0,
    drop: str | None = None,
    top: int = 20,
    indicator: bool = False,
    missing_rate: float = 0.95,
    words: int = 1000,
    hashed: bool = False,
    sparse: bool = False,
) -> Chain:
    """drop nearly empty columns -> impute -> scale numbers -> top levels -> dummies -> words: a float matrix.

    For kernel machines, neighbours and linear models. The matrix is dense unless there is text, `sparse`, or
    the table came sparse (its numbers are then scaled without centring).

    Parameters
    ----------
    scale : "zscore", "minmax" or None
    alpha : size of the dummies, above 0
    drop : as in OneHot; "first" for linear regression
    top : levels kept of each coded column, the rest gathered
    indicator : whether missing cells are flagged by columns of their own
    missing_rate : columns with a larger share of missing cells are left out
    words : how many words of each text column, or hashed columns
    hashed : whether words are hashed rather than listed
    sparse : whether the matrix is CSR

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
    scalers: dict[str | None, list[tuple[str, Encoder]]] = {
        "zscore": [("scale", ZScore(center="auto"))], "minmax": [("scale", MinMax())], None: [],
    }  # fmt: skip
    if scale not in scalers:
        raise MercerError(f"dense_recipe(scale={scale!r}): expected 'zscore', 'minmax' or None.")
    steps: list[tuple[str, Encoder]] = [
        ("empty", DropMissing(missing_rate)),
        ("fill", Impute(indicator=indicator)),
        *scalers[scale],
        ("top", TopLevels(top)),
        ("dummies", OneHot(alpha, drop=drop, sparse=sparse)),
        ("words", BagOfWords(words, hashed=hashed)),
    ]
    return Chain(steps, output="matrix")


def coded_recipe(*, top: int = 20, missing_rate: float = 0.95) -> Chain:
    """drop nearly empty columns -> the `top` commonest values of each column, the rest gathered: codes.

    For learners on levels alone: similarities by frequency, categorical naive Bayes. Missing cells stay
    missing, and text columns are left as they are.

    Examples
    --------
    >>> from mercer.encode import coded_recipe
    >>> coded_recipe(top=1).fit_transform([[7.0], [7.0], [8.0], [9.0]]).ravel().tolist()
    [0.0, 0.0, 1.0, 1.0]
    """
    values = kind(*(k for k in Kind if k is not Kind.TEXT))
    return Chain([("empty", DropMissing(missing_rate)), ("top", TopLevels(top, on=values))])
