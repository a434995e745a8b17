"""What went wrong, where, and what to do next."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches


class MercerError(ValueError):
    """Base of every error that mercer raises about its input. A ValueError, as scikit-learn's callers expect.

    Examples
    --------
    >>> import mercer
    >>> try:
    ...     mercer.read_table("no such file.csv")
    ... except mercer.MercerError as error:
    ...     print(type(error).__name__)
    BadFile
    """


class BadFile(MercerError):
    """A file cannot be read as a table, or as a model."""


class NoRows(BadFile):
    """A file names columns and has no rows: nothing to learn from by itself, and nothing wrong beside other files."""


class ClusterLost(MercerError):
    """The cluster that works on the rows went away."""


class BadTable(MercerError):
    """The table is readable but cannot be learned from or predicted on."""


class TooLarge(BadTable):
    """Numbers of the table are beyond what can be computed with."""


class BadColumn(MercerError):
    """A column is absent or of the wrong kind."""


class NotNumeric(BadColumn):
    """Numbers are needed, and the column holds something else."""


class NotLevels(BadColumn):
    """Levels of a category are needed, and the column holds something else."""


class NotText(BadColumn):
    """Text is needed, and the column holds something else."""


class BadTarget(MercerError):
    """The target column cannot be learned."""


class BadParameter(MercerError, TypeError):
    """A parameter is outside the set that its class declares. A TypeError too, as scikit-learn's is."""


class BadEnvironment(MercerError, ImportError):
    """A setting of the environment cannot be followed on this machine. An ImportError too, as it is met on import."""


class BadOutput(MercerError):
    """A file or folder cannot be written."""


class MercerWarning(UserWarning):
    """Something was decided for the caller that they may want to know."""


class ColumnWarning(MercerWarning):
    """Something was decided about a column: its name, and what."""

    def __init__(self, column: str, said: str) -> None:
        super().__init__(column, said)
        self.column, self.said = column, said

    def __str__(self) -> str:
        return f"Column {self.column!r}: {self.said}"


class FitWarning(MercerWarning):
    """About one fit, with its figures; a subclass for each thing to be said, which other folds say with others."""


class Aliased(FitWarning):
    """Terms are combinations of others."""


class OutliersLeftOut(FitWarning):
    """Rows were left out as outliers."""


class Indefinite(FitWarning):
    """A kernel matrix is not positive definite."""


class BeyondMemory(FitWarning):
    """A kernel matrix does not fit into the memory budget."""


class AllLandmarks(FitWarning):
    """More landmarks were asked for than there are rows."""


def close_names(name: str, known: Iterable[str]) -> list[str]:
    """The known names that are spelled most like a name, at most three."""
    folded = {n.casefold(): n for n in known}
    return [folded[n] for n in get_close_matches(str(name).casefold(), list(folded), n=3, cutoff=0.6)]


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """A closing hint: the nearest known names, those that have the name as a word, or the first few."""
    names = list(known)
    near = close_names(name, names) or [n for n in names if name.casefold() in n.casefold().split("_")][:3]
    if near:
        return "Did you mean " + " or ".join(repr(n) for n in near) + "?"
    shown = ", ".join(repr(n) for n in names[:8]) + (f" and {len(names) - 8} more" if len(names) > 8 else "")
    return f"Known: {shown}."
