"""Naive Bayes on mixed tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import deepcopy
from dataclasses import fields, replace
from typing import Any, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from mercer import _core
from mercer.errors import BadColumn, BadFile, MercerError, did_you_mean
from mercer.estimators.bayes.explain import BayesTables, explain_rows
from mercer.estimators.common.base import TableClassifier
from mercer.estimators.common.explanation import Explanation
from mercer.estimators.common.labels import labels_from_state, labels_state
from mercer.likelihoods import (
    LIKELIHOODS,
    Bernoulli,
    Binned,
    Categorical,
    Complement,
    Density,
    Gaussian,
    Likelihood,
    Multinomial,
    Words,
)
from mercer.likelihoods.gaussian import FLOOR
from mercer.likelihoods.smoothing import smoothing_from
from mercer.state import Reader, State
from mercer.table import Column, Kind, Schema, Table, open_source, read_table
from mercer.table.infer import sort_levels

Choice: TypeAlias = str | Likelihood


class NaiveBayes(TableClassifier):
    """P(c | x) proportional to P(c) * prod_j p(x_j | c), one likelihood per column, in log space.

    Numbers, categories, truth values and text side by side in one model. Missing cells are skipped, in fitting and in
    predicting; a level never seen gets the mass that smoothing leaves it.

    Parameters
    ----------
    likelihoods : by column name or kind, or one for every numeric column: "gaussian", "density", "binned",
        "categorical", "bernoulli", "multinomial", "complement", "words", or an instance such as
        Gaussian(variance="pooled"). Default by kind: numbers gaussian (counts in a sparse matrix
        multinomial), levels categorical, text words.
    priors : None (shares of the classes), "uniform", class -> probability, or a sequence in order of `classes_`
    smoothing : "laplace", "none", a number alpha, Alpha(...) or MEstimate(...), for every counted likelihood
    variance : of gaussian columns: "class", "pooled" or "global"
    ddof : 1 for the sample variance, 0 for maximum likelihood
    variance_floor : smallest variance, as a share of the column's variance over all rows, so that no column that is
        almost constant within a class decides alone
    kinds : column -> kind, overriding what is inferred from a data frame
    n_jobs : threads; None for all. Results do not depend on it.

    Attributes
    ----------
    classes_ : labels in order
    class_count_, class_prior_ : weight and prior of each class
    schema_ : what the columns are
    parts_ : the fitted likelihoods

    Examples
    --------
    >>> import mercer
    >>> rows = {"outlook": ["sun", "rain", "sun", None], "wind": [3.0, 9.0, 4.5, 8.0]}
    >>> model = mercer.NaiveBayes().fit(rows, ["play", "stay", "play", "stay"])
    >>> model.predict({"outlook": ["fog"], "wind": [4.0]})
    array(['play'], dtype='<U4')
    """

    def __init__(
        self,
        likelihoods: Choice | Mapping[str, Choice] | None = None,
        *,
        priors: str | Mapping[Any, float] | Sequence[float] | None = None,
        smoothing: object = "laplace",
        variance: str = "class",
        ddof: int = 1,
        variance_floor: float = FLOOR,
        kinds: Mapping[str, Any] | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.likelihoods = likelihoods
        self.priors = priors
        self.smoothing = smoothing
        self.variance = variance
        self.ddof = ddof
        self.variance_floor = variance_floor
        self.kinds = kinds
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn from a table X and labels y."""
        table = self._fit_table(X)
        codes = self._fit_labels(y, len(table))
        weight = self._weights(sample_weight, len(table))
        n_classes = len(self.classes_)
        self.class_count_ = np.bincount(codes, weights=weight, minlength=n_classes).astype(np.float64)
        self.class_prior_ = self._priors()
        self.parts_ = [self._part(spec).start(columns, n_classes) for spec, columns in self._groups(table)]
        for part in self.parts_:
            part.update(table, codes, weight, self._jobs)
        return self

    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """Learn from further rows: the same model as one fit on all. Later rows may bring new levels and classes."""
        if not hasattr(self, "parts_"):
            if classes is not None:
                _refuse_unlisted(y, classes)
            self.fit(X, y, sample_weight)
            return self if classes is None else self._with_classes(np.unique(classes))
        if classes is not None:
            _refuse_unlisted(y, classes)
        return self._absorb(self._alike().fit(self._chunk(X), y, sample_weight))

    def _alike(self) -> NaiveBayes:
        """An unfitted model with the fitted likelihoods: what was read from a file has no other record of them."""
        likelihoods = {name: part for part in self.parts_ for name in part.names}
        return NaiveBayes(likelihoods, kinds=self.kinds, n_jobs=self.n_jobs)

    def _chunk(self, X: Any) -> Any:
        """A later chunk in the kinds of the first, with levels of its own."""
        if isinstance(X, Table) or not hasattr(self, "feature_names_in_") or isinstance(X, np.ndarray):
            return self._predict_table(X) if not self.schema_.named else X
        kinds: dict[str, Any] = {
            c.name: list(c.levels) if c.kind is Kind.ORDINAL else _growing(c.kind) for c in self.schema_
        }
        kinds |= {c.name: "skip" for c in self.schema_.left_out}
        source = open_source(X)
        known = {name: kind for name, kind in kinds.items() if name in source.columns}
        unknown = {name: "skip" for name in source.columns if name not in kinds}
        if missing := [n for n in self.schema_.names if n not in source.columns]:
            raise BadColumn(f"Column {missing[0]!r} is missing. {did_you_mean(missing[0], source.columns)}")
        return read_table(X, kinds=known | unknown).select(self.schema_.names)

    def merge(self, other: NaiveBayes) -> NaiveBayes:
        """The model of both models' rows together, exactly as if fitted on all of them at once."""
        check_is_fitted(self)
        check_is_fitted(other)
        return deepcopy(self)._absorb(other)

    def _absorb(self, other: NaiveBayes) -> Self:
        schema = _join_schemas(self.schema_, other.schema_)
        if [p.names for p in self.parts_] != [p.names for p in other.parts_] or _options(self) != _options(other):
            raise MercerError("The models differ in likelihoods or options; merge models fitted with the same ones.")
        classes = np.unique(np.concatenate([self.classes_, other.classes_]))
        mine, theirs = self._widened(schema, classes), other._widened(schema, classes)
        for a, b in zip(mine, theirs, strict=True):
            a.merge(b)
        counts = np.zeros(len(classes))
        for model in (self, other):
            counts[np.searchsorted(classes, model.classes_)] += model.class_count_
        self.parts_, self.classes_, self.class_count_, self.schema_ = mine, classes, counts, schema
        self.class_prior_ = self._priors()
        return self

    def _with_classes(self, classes: NDArray[Any]) -> Self:
        """Make room for classes that may come later."""
        classes = np.unique(np.concatenate([self.classes_, classes]))
        self.parts_ = self._widened(self.schema_, classes)
        counts = np.zeros(len(classes))
        counts[np.searchsorted(classes, self.classes_)] = self.class_count_
        self.classes_, self.class_count_ = classes, counts
        self.class_prior_ = self._priors()
        return self

    def _widened(self, schema: Schema, classes: NDArray[Any]) -> list[Likelihood]:
        places = np.searchsorted(classes, self.classes_).tolist()
        return [part.widen([schema[n] for n in part.names], places, len(classes)) for part in self.parts_]

    def _groups(self, table: Table) -> list[tuple[Choice, list[Column]]]:
        """Columns that share a likelihood, in the order of the table."""
        groups: dict[str, tuple[Choice, list[Column]]] = {}
        chosen = self._chosen(table.schema)
        default = {**_BY_KIND, Kind.NUMERIC: _sparse_default(table) if table.is_sparse else "gaussian"}
        for column in table.schema:
            spec = chosen.get(column.name, chosen.get(str(column.kind), default[column.kind]))
            if spec == "bernoulli" and column.kind is Kind.BINARY:
                spec = "categorical"
            if spec == "multinomial" and column.kind is Kind.TEXT:
                spec = "words"
            groups.setdefault(repr(spec), (spec, []))[1].append(column)
        return list(groups.values())

    def _chosen(self, schema: Schema) -> dict[str, Choice]:
        if self.likelihoods is None:
            return {}
        if not isinstance(self.likelihoods, Mapping):
            return {str(Kind.NUMERIC): self.likelihoods}
        for name in self.likelihoods:
            if name not in list(Kind):
                schema.position(name)
        return dict(self.likelihoods)

    def _part(self, spec: Choice) -> Likelihood:
        if isinstance(spec, Likelihood):
            return type(spec)(**{f.name: getattr(spec, f.name) for f in fields(spec) if f.init})
        if spec not in LIKELIHOODS:
            raise MercerError(f"There is no likelihood {spec!r}. {did_you_mean(spec, LIKELIHOODS)}")
        smooth = smoothing_from(self.smoothing)
        made: dict[str, Likelihood] = {
            "gaussian": Gaussian(self.variance, self.ddof, self.variance_floor),
            "density": Density(),
            "binned": Binned(smoothing=smooth),
            "categorical": Categorical(smooth),
            "bernoulli": Bernoulli(smooth),
            "multinomial": Multinomial(smooth),
            "complement": Complement(smooth),
            "words": Words(smooth),
        }
        return made[spec]

    def _priors(self) -> NDArray[np.float64]:
        if self.priors is None:
            return self.class_count_ / self.class_count_.sum()
        n = len(self.classes_)
        if isinstance(self.priors, str):
            if self.priors != "uniform":
                raise MercerError(f'priors={self.priors!r}: "uniform", a mapping, a sequence or None.')
            return np.full(n, 1.0 / n)
        given = [self.priors.get(c, np.nan) for c in self.classes_] if isinstance(self.priors, Mapping) else self.priors
        priors = np.asarray(given, dtype=np.float64)
        if priors.shape != (n,):
            raise MercerError(f"Number of priors must match number of classes: {n} classes, {len(priors)} priors.")
        if np.isnan(priors).any():
            raise MercerError(f"priors lacks the class '{self.classes_[int(np.isnan(priors).argmax())]}'.")
        if (priors < 0).any() or not np.isclose(priors.sum(), 1.0):
            raise MercerError("Priors must be non-negative. The sum of the priors should be 1.")
        return priors

    def predict_joint_log_proba(self, X: Any) -> NDArray[np.float64]:
        """log P(c) + log p(x | c), (n_rows, n_classes)."""
        return self._joint(self._predict_table(X))

    def _joint(self, table: Table) -> NDArray[np.float64]:
        with np.errstate(divide="ignore"):
            log_prior = np.log(self.class_prior_)
        joint = np.empty((len(table), len(self.classes_)))
        joint[:] = log_prior
        for part in self.parts_:
            part.add_log_prob(table, joint, self._jobs)
        # Without smoothing every class can be impossible; then nothing was learned from the row.
        impossible = np.isneginf(joint.max(axis=1))
        if impossible.any():
            joint[impossible] = log_prior
        return joint

    def predict(self, X: Any) -> NDArray[Any]:
        """The most probable class of each row; the first of `classes_` on a tie."""
        best = np.argmax(self.predict_joint_log_proba(X), axis=1)
        labels: NDArray[Any] = self.classes_[best]
        return labels

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """P(c | x), (n_rows, n_classes)."""
        joint = self.predict_joint_log_proba(X)
        _core.softmax_rows(joint, self._jobs)
        return joint

    def predict_log_proba(self, X: Any) -> NDArray[np.float64]:
        """log P(c | x), (n_rows, n_classes)."""
        joint = self.predict_joint_log_proba(X)
        top = joint.max(axis=1, keepdims=True)
        return joint - top - np.log(np.exp(joint - top).sum(axis=1, keepdims=True))

    def tables(self) -> BayesTables:
        """The counts and probabilities of every column, as the lectures print them."""
        check_is_fitted(self)
        order = {name: j for j, name in enumerate(self.schema_.names)}
        tables = sorted((t for part in self.parts_ for t in part.tables()), key=lambda t: order[t.name])
        return BayesTables([str(c) for c in self.classes_], self.class_prior_, self.class_count_, tables)

    def explain(self, X: Any) -> Explanation:
        """Each column's share in the log odds of each row; with the prior they add up to the prediction."""
        table = self._predict_table(X)
        return explain_rows(table, self.parts_, self.class_prior_, self.classes_, self._joint(table))

    def to_state(self) -> State:
        parts = [{"likelihood": p.key, "columns": list(p.names), "part": p.to_state()} for p in self.parts_]
        return {
            "input": self._input_state(), "classes": labels_state(self.classes_),
            "class_count": self.class_count_, "class_prior": self.class_prior_,
            "priors_given": self.priors is not None, "parts": parts,
        }  # fmt: skip

    @classmethod
    def from_state(cls, state: Reader) -> Self:
        model = cls()
        model._restore_input(state.child("input"))
        model.classes_ = labels_from_state(state.child("classes"))
        n_classes = len(model.classes_)
        model.class_count_ = state.array("class_count", "float64", (n_classes,), low=0.0)
        model.class_prior_ = state.array("class_prior", "float64", (n_classes,), low=0.0, high=1.0)
        if state.flag("priors_given"):
            model.priors = dict(zip(model.classes_.tolist(), model.class_prior_.tolist(), strict=True))
        model.parts_ = [_part_from_state(reader, model.schema_, n_classes) for reader in state.children("parts")]
        covered = [name for part in model.parts_ for name in part.names]
        if sorted(covered) != sorted(model.schema_.names):
            raise BadFile(f"{state.where}.parts do not cover each column once.")
        state.finish()
        return model


_BY_KIND: dict[Kind, Choice] = {
    Kind.BINARY: "categorical",
    Kind.CATEGORY: "categorical",
    Kind.ORDINAL: "categorical",
    Kind.TEXT: "words",
}


def _sparse_default(table: Table) -> str:
    """A sparse matrix without negative numbers is taken for counts."""
    values = table.sparse().data
    return "multinomial" if not len(values) or values.min() >= 0 else "gaussian"


def _options(model: NaiveBayes) -> list[str]:
    return [repr(part) for part in model.parts_]


def _growing(kind: Kind) -> str:
    """A binary column may turn out to have a third level."""
    return str(Kind.CATEGORY if kind is Kind.BINARY else kind)


def _refuse_unlisted(y: Any, classes: Any) -> None:
    strange = np.setdiff1d(np.asarray(y), np.asarray(classes))
    if len(strange):
        raise ValueError(
            f"The target label(s) {strange} in y do not exist in the initial classes {np.asarray(classes)}"
        )


def _join_schemas(a: Schema, b: Schema) -> Schema:
    """One schema for both: the same columns, levels joined."""
    if a.names != b.names:
        odd = sorted(set(a.names) ^ set(b.names)) or [n for n, m in zip(a.names, b.names, strict=True) if n != m]
        raise BadColumn(f"The models were fitted on different columns, {odd[0]!r} for one. Give kinds= to both fits.")
    return replace(a, columns=tuple(_join_columns(x, y) for x, y in zip(a, b, strict=True)))


def _join_columns(a: Column, b: Column) -> Column:
    counted = (Kind.BINARY, Kind.CATEGORY)
    if a.kind in counted and b.kind in counted:
        if a.levels == b.levels:
            return a
        levels = sort_levels({*a.levels, *b.levels})
        kind = Kind.BINARY if len(levels) == 2 and Kind.BINARY in (a.kind, b.kind) else Kind.CATEGORY
        return replace(a, kind=kind, levels=levels)
    if a.kind is not b.kind or a.levels != b.levels:
        raise BadColumn(f"Column {a.name!r} is {a.kind} in one model and {b.kind} in the other, or its order differs.")
    return a


def _part_from_state(reader: Reader, schema: Schema, n_classes: int) -> Likelihood:
    kind = LIKELIHOODS[reader.text("likelihood", tuple(LIKELIHOODS))]
    names = reader.texts("columns")
    for name in names:
        if name not in schema.names:
            raise BadFile(f"{reader.where}.columns: {name!r} is not a column of the schema.")
    part = kind.from_state(reader.child("part"), [schema[n] for n in names], n_classes)
    reader.finish()
    return part
