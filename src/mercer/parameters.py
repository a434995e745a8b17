"""What constructor parameters may be: declared once, checked in `fit`, written to a model file and read from it.

A class says what it takes in one table,

    parameters: ClassVar[Parameters] = {"C": Number(0, above=True, words=("cv",)), "loss": Choice(Loss), ...}

where `Loss = Literal["hinge", "squared_hinge"]` is also the parameter's annotation. `check_parameters` refuses the
first value outside its set with scikit-learn's sentence; `parameters_state` and `read_parameters` are inverse.
"""

from __future__ import annotations

import reprlib
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any, ClassVar, Protocol, TypeAlias, get_args

import numpy as np

from mercer.errors import BadFile, BadParameter, close_names
from mercer.state import Reader, State

_LARGEST = sys.float_info.max  # infinity is no parameter unless `high` says so
MOST_STEPS = 2**53  # of a solver: native code counts them in 64 bits


class Parameter(Protocol):
    """One parameter: which values it accepts (`str` of it says them in words), and how they are stored."""

    def accepts(self, value: Any) -> bool: ...

    def write(self, value: Any) -> Any: ...

    def read(self, state: Reader, name: str) -> Any: ...


Parameters: TypeAlias = Mapping[str, Parameter]


class HasParameters(Protocol):
    """What has declared parameters and keeps them as attributes of the same names."""

    parameters: ClassVar[Parameters]


class _Scalar:
    """A text, a number, a truth value or None, stored as it is; infinity as a text."""

    def write(self, value: Any) -> Any:
        value = value.item() if isinstance(value, np.generic) else value
        return repr(value) if isinstance(value, float) and not np.isfinite(value) else value

    def read(self, state: Reader, name: str) -> Any:
        value = state.scalar(name)
        return float(value) if value in ("inf", "-inf") else value


@dataclass(frozen=True, slots=True)
class Number(_Scalar):
    """A number from `low` to `high`, one of a few words, or None when `optional`."""

    low: float = -_LARGEST
    high: float = _LARGEST
    above: bool = False  # low itself excluded
    below: bool = False  # high itself excluded
    whole: bool = False
    fraction: bool = False  # 1.0, but not 1
    words: tuple[str, ...] = ()
    optional: bool = False

    def accepts(self, value: Any) -> bool:
        if value is None or isinstance(value, str):
            return self.optional if value is None else value in self.words
        if not isinstance(value, Integral if self.whole else Real) or isinstance(value, bool | np.bool_):
            return False
        if self.fraction and isinstance(value, Integral):
            return False
        number = float(value)
        over = number > self.low if self.above else number >= self.low
        return over and (number < self.high if self.below else number <= self.high)

    def __str__(self) -> str:
        noun = "a whole number" if self.whole else "a fraction" if self.fraction else "a number"
        low = "" if self.low <= -_LARGEST else f" {'above' if self.above else 'of at least'} {self.low:g}"
        until = "below" if self.below else "up to"
        high = "" if self.high >= _LARGEST else f"{' and' if low else ''} {until} {self.high:g}"
        others = [repr(w) for w in self.words] + ["None"] * self.optional
        return " or ".join([noun + low + high, *others])


@dataclass(frozen=True, slots=True)
class Choice(_Scalar):
    """One of a closed set: the values of a `Literal`, or texts, truth values and None given one by one."""

    options: Any

    def _values(self) -> tuple[Any, ...]:
        return self.options if isinstance(self.options, tuple) else get_args(self.options)

    def accepts(self, value: Any) -> bool:
        same_kind = isinstance(value, str | bool | np.bool_) or value is None
        return same_kind and any(type(option) is not int and option == value for option in self._values())

    def __str__(self) -> str:
        return " or ".join(repr(v) for v in self._values())


@dataclass(frozen=True, slots=True)
class Flag(_Scalar):
    """True or False."""

    def accepts(self, value: Any) -> bool:
        return isinstance(value, bool | np.bool_)

    def __str__(self) -> str:
        return "True or False"


@dataclass(frozen=True, slots=True)
class Text(_Scalar):
    """Any text that is not empty, or None when `optional`."""

    optional: bool = False

    def accepts(self, value: Any) -> bool:
        return self.optional if value is None else isinstance(value, str) and bool(value)

    def __str__(self) -> str:
        return "a text" + (" or None" if self.optional else "")


@dataclass(frozen=True, slots=True)
class Texts:
    """A sequence of texts, or None when `optional`; read back as a list."""

    optional: bool = False

    def accepts(self, value: Any) -> bool:
        if value is None or isinstance(value, str):
            return value is None and self.optional
        return isinstance(value, Sequence | np.ndarray) and all(isinstance(v, str) for v in value)

    def write(self, value: Any) -> Any:
        return None if value is None else [str(v) for v in value]

    def read(self, state: Reader, name: str) -> Any:
        return None if self.optional and not state.has(name) else list(state.texts(name))

    def __str__(self) -> str:
        return "a list of texts" + (" or None" if self.optional else "")


@dataclass(frozen=True, slots=True)
class Numbers:
    """A sequence of finite numbers from `low` to `high`, not empty, or None when `optional`; read back as a tuple."""

    low: float = -_LARGEST
    high: float = _LARGEST
    any_positive: bool = False  # at least one of them above 0
    optional: bool = False

    def accepts(self, value: Any) -> bool:
        if value is None or isinstance(value, str):
            return value is None and self.optional
        try:
            numbers = np.asarray(value, dtype=np.float64)
        except (TypeError, ValueError):
            return False
        within = numbers.ndim == 1 and numbers.size > 0 and bool(((numbers >= self.low) & (numbers <= self.high)).all())
        return within and (not self.any_positive or bool((numbers > 0).any()))

    def write(self, value: Any) -> Any:
        return None if value is None else np.asarray(value, dtype=np.float64)

    def read(self, state: Reader, name: str) -> Any:
        if self.optional and not state.has(name):
            return None
        return tuple(state.array(name, "float64", (None,)).tolist())

    def __str__(self) -> str:
        low = "" if self.low <= -_LARGEST else f" of at least {self.low:g}"
        some = ", one of them positive" if self.any_positive else ""
        return f"finite numbers{low}{some}" + (" or None" if self.optional else "")


@dataclass(frozen=True, slots=True)
class Dictionary:
    """A mapping of texts, numbers or truth values to such or to lists of such, or None when `optional`.

    An array of one dimension is a list, and read back as one.
    """

    optional: bool = True

    def accepts(self, value: Any) -> bool:
        if not isinstance(value, Mapping):
            return value is None and self.optional
        return all(_is_scalar(k) and all(map(_is_scalar, _as_list(v))) for k, v in value.items())

    def write(self, value: Any) -> Any:
        if value is None:
            return None
        lists = [len(v) if isinstance(v, list | tuple | np.ndarray) else -1 for v in value.values()]
        cells = [part for v in value.values() for part in _as_list(v)]
        return {
            "keys": [_plain(k) for k in value],
            "lists": np.array(lists, dtype=np.int64),  # how many values are a key's own; -1: one, and no list
            "values": [_plain(cell) for cell in cells],
        }

    def read(self, state: Reader, name: str) -> Any:
        if self.optional and not state.has(name):
            return None
        inside = state.child(name)
        keys, values = inside.scalars("keys"), list(inside.scalars("values"))
        lists = inside.array("lists", "int64", (len(keys),), low=-1, high=len(values))
        if np.abs(lists).sum() != len(values) or len(set(keys)) != len(keys):
            raise BadFile(f"{inside.where}: as many keys as values are expected.")
        inside.finish()
        ends = np.cumsum(np.abs(lists))
        parts = [values[end - abs(size) : end] for end, size in zip(ends, lists, strict=True)]
        return {key: part if size >= 0 else part[0] for key, part, size in zip(keys, parts, lists, strict=True)}

    def __str__(self) -> str:
        return "a dict" + (" or None" if self.optional else "")


@dataclass(frozen=True, slots=True)
class ListOf:
    """A list or tuple, not empty, of what one parameter accepts; read back as a list."""

    item: Parameter

    def accepts(self, value: Any) -> bool:
        return isinstance(value, list | tuple) and bool(value) and all(map(self.item.accepts, value))

    def write(self, value: Any) -> Any:
        written = [self.item.write(part) for part in value]
        return [{} if part is None else {"item": part} for part in written]

    def read(self, state: Reader, name: str) -> Any:
        children = state.children(name)
        values = [self.item.read(child, "item") for child in children]
        for child in children:
            child.finish()
        return values

    def __str__(self) -> str:
        return f"a list, each of {self.item}"


@dataclass(frozen=True, slots=True)
class Part:
    """An object with parameters of its own: a kernel, a distance, a grid; stored by the two functions given."""

    noun: str
    base: type
    to_state: Callable[[Any], State]
    from_state: Callable[[Reader], Any]
    optional: bool = False

    def accepts(self, value: Any) -> bool:
        return isinstance(value, self.base) or (value is None and self.optional)

    def write(self, value: Any) -> Any:
        return None if value is None else self.to_state(value)

    def read(self, state: Reader, name: str) -> Any:
        return None if self.optional and not state.has(name) else self.from_state(state.child(name))

    def __str__(self) -> str:
        return self.noun + (" or None" if self.optional else "")


@dataclass(frozen=True, slots=True)
class Mapped:
    """A mapping of texts to values that another parameter accepts."""

    value: Parameter

    def accepts(self, value: Any) -> bool:
        return isinstance(value, Mapping) and all(
            isinstance(key, str) and self.value.accepts(each) for key, each in value.items()
        )

    def write(self, value: Any) -> Any:
        written = (self.value.write(each) for each in value.values())
        return {
            "keys": [str(key) for key in value],
            "values": [{} if each is None else {"value": each} for each in written],
        }

    def read(self, state: Reader, name: str) -> Any:
        inside = state.child(name)
        keys, values = inside.texts("keys"), inside.children("values")
        if len(keys) != len(values) or len(set(keys)) != len(keys):
            raise BadFile(f"{inside.where}: as many keys as values are expected.")
        return {key: self.value.read(each, "value") for key, each in zip(keys, values, strict=True)}

    def __str__(self) -> str:
        return f"a dict of texts to {self.value}"


@dataclass(frozen=True, slots=True)
class Unstored:
    """What no file can hold (a function, a splitter, a generator): read back as `instead`."""

    noun: str
    check: Callable[[Any], bool]
    instead: Any = None

    def accepts(self, value: Any) -> bool:
        return self.check(value)

    def write(self, value: Any) -> Any:
        return None

    def read(self, state: Reader, name: str) -> Any:
        if state.has(name):
            raise BadFile(f"{state.where}.{name} cannot be stored.")
        return self.instead

    def __str__(self) -> str:
        return self.noun


class Either:
    """What the first of several parameters that accepts it takes."""

    def __init__(self, *cases: Parameter) -> None:
        self.cases = cases

    def accepts(self, value: Any) -> bool:
        return any(case.accepts(value) for case in self.cases)

    def write(self, value: Any) -> Any:
        place = next(i for i, case in enumerate(self.cases) if case.accepts(value))
        written = self.cases[place].write(value)
        return {"case": place} | ({} if written is None else {"value": written})

    def read(self, state: Reader, name: str) -> Any:
        inside = state.child(name)
        value = self.cases[inside.integer("case", 0, len(self.cases) - 1)].read(inside, "value")
        inside.finish()
        return value

    def __str__(self) -> str:
        return " or ".join(str(case) for case in self.cases)


# What scikit-learn takes as `verbose` and as `random_state`; a generator is read back as None.
VERBOSE = Either(Flag(), Number(0, whole=True))
RANDOM_STATE = Either(
    Number(0, 2**32 - 1, whole=True, optional=True),
    Unstored("a RandomState", lambda r: isinstance(r, np.random.RandomState)),
)


def check_parameters(owner: HasParameters, names: Iterable[str] | None = None) -> None:
    """BadParameter for the first value, of all parameters or of those named, that is not accepted."""
    for name in owner.parameters if names is None else names:
        parameter, value = owner.parameters[name], getattr(owner, name)
        if not parameter.accepts(value):
            near = close_names(value, _words(parameter)) if isinstance(value, str) else []
            hint = f" Did you mean {near[0]!r}?" if near else ""
            finite = ", and finite" if isinstance(value, float) and np.isinf(value) else ""
            said = f"must be {parameter}{finite}. Got {reprlib.repr(value)} instead.{hint}"
            raise BadParameter(f"The {name!r} parameter of {type(owner).__name__} {said}")


def _words(parameter: Parameter) -> list[str]:
    """The texts that a parameter accepts, where they are a closed set."""
    if isinstance(parameter, Either):
        return [word for case in parameter.cases for word in _words(case)]
    options = parameter._values() if isinstance(parameter, Choice) else getattr(parameter, "words", ())
    return [option for option in options if isinstance(option, str)]


def parameters_state(owner: Any, parameters: Parameters | None = None) -> State:
    """The values of all declared parameters, its own unless they are given, as plain data; what is None is left out."""
    declared: Parameters = owner.parameters if parameters is None else parameters
    written = {name: parameter.write(getattr(owner, name)) for name, parameter in declared.items()}
    return {name: value for name, value in written.items() if value is not None}


def read_parameters(state: Reader, parameters: Parameters) -> dict[str, Any]:
    """The stored values, each checked."""
    values = {name: parameter.read(state, name) for name, parameter in parameters.items()}
    for name, parameter in parameters.items():
        if not parameter.accepts(values[name]) and not isinstance(parameter, Unstored):
            raise BadFile(f"{state.where}.{name}: expected {parameter}.")
    state.finish()
    return values


def _as_list(value: Any) -> Sequence[Any]:
    if isinstance(value, np.ndarray) and value.ndim == 1:
        return list(value)
    return value if isinstance(value, list | tuple) else [value]


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value


def _is_scalar(value: Any) -> bool:
    value = _plain(value)
    finite = isinstance(value, float) and np.isfinite(value)
    return value is None or isinstance(value, str | int) or bool(finite)
