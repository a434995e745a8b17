"""What a text says beside what mercer gives, and whether they agree."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from mercer.arrays import Floats

Verdict = Literal["agrees", "slip of the source", "differs", "DISAGREES"]
_EXACT = 1e-9  # for fractions and formulas: what rounding of float64 may leave
_BAND = (0.05, 0.95)


@dataclass(frozen=True)
class Draws:
    """A figure over many random draws: its median, and the band from its 5 % to its 95 % quantile.

    Parameters
    ----------
    values : array-like of float
        The figure in each draw.

    Examples
    --------
    >>> from mercer.gallery import Draws
    >>> print(Draws([0.90, 0.91, 0.92, 0.93, 0.94]))
    0.92 (0.902 to 0.938 in 90 % of 5 draws)
    """

    values: Any

    def band(self, digits: int = 12) -> Floats:
        """The 5 % and the 95 % quantile of the values, rounded first, as a text prints them.

        Parameters
        ----------
        digits : int, default 12
            Digits after the point.

        Returns
        -------
        band : ndarray of shape (2,)
            Where the band starts and ends.
        """
        return np.asarray(np.quantile(np.round(np.asarray(self.values, dtype=float), digits), _BAND).round(digits))

    def __str__(self) -> str:
        low, high = self.band()
        middle = float(np.median(self.values))
        return f"{middle:.4g} ({low:.4g} to {high:.4g} in 90 % of {len(self.values)} draws)"


@dataclass(frozen=True)
class Comparison:
    """One figure: as a text has it, and as mercer gives it.

    Parameters
    ----------
    what : str
        What the figure is.
    source : str or float
        As the text prints it: "0.0072", "3/7", "No"; or a number that its formula gives.
    ours : float, bool, str or Draws
        What mercer gives; True is "yes".
    tolerance : float, optional
        How far apart numbers that agree may be; None for half of the last digit printed.
    differs : str, default ""
        Why they do not agree, where they do not.
    slip : str, default ""
        What is wrong in the text, where it is.

    Examples
    --------
    >>> from mercer.gallery import Comparison
    >>> Comparison("density of 120 given No", "0.0072", 0.00719).verdict
    'agrees'
    >>> Comparison("P(Single | Yes)", "2/7", 2 / 3, slip="two of the three cheaters are single").verdict
    'slip of the source'
    """

    what: str
    source: str | float
    ours: Any
    tolerance: float | None = None
    differs: str = ""
    slip: str = ""

    @property
    def agrees(self) -> bool:
        """Whether ours is the figure of the text, to the digits it prints."""
        if self._in_words:
            return self.ours_text == str(self.source)
        number = _number(self.source) or 0.0
        if isinstance(self.ours, Draws):
            low, high = self.ours.band(_digits(self.source))
            return bool(low <= number <= high)
        return abs(float(self.ours) - number) <= self._margin(number) * (1 + _EXACT)

    @property
    def verdict(self) -> Verdict:
        """In two words; "DISAGREES" where nobody has said why."""
        if self.agrees:
            return "agrees"
        return "slip of the source" if self.slip else "differs" if self.differs else "DISAGREES"

    @property
    def reason(self) -> str:
        """Why they do not agree; "" where they do."""
        return self.slip or self.differs

    @property
    def tolerance_text(self) -> str:
        """How far apart they may be, in words."""
        if self._in_words:
            return "the same"
        if isinstance(self.ours, Draws):
            return "in the middle 90 %"
        number = _number(self.source) or 0.0
        margin = self._margin(number)
        return "exact" if margin <= _EXACT * max(abs(number), 1.0) else f"± {margin:.2g}"

    @property
    def source_text(self) -> str:
        """The figure of the text as shown."""
        return self.source if isinstance(self.source, str) else f"{self.source:.6g}"

    @property
    def ours_text(self) -> str:
        """Our figure as shown: two digits more than the text prints."""
        if isinstance(self.ours, bool | np.bool_):
            return "yes" if self.ours else "no"
        if isinstance(self.ours, str | Draws | int):
            return str(self.ours)
        digits = _digits(self.source) + 2
        return f"{float(self.ours):.{digits}f}" if digits < 10 else f"{float(self.ours):.6g}"

    def to_dict(self) -> dict[str, Any]:
        """The comparison as plain data.

        Returns
        -------
        data : dict
            What JSON shows.
        """
        names = ("what", "source_text", "ours_text", "tolerance_text", "verdict", "reason")
        return {name.removesuffix("_text"): getattr(self, name) for name in names}

    @property
    def _in_words(self) -> bool:
        return _number(self.source) is None or isinstance(self.ours, str | bool | np.bool_)

    def _margin(self, number: float) -> float:
        if self.tolerance is not None:
            return self.tolerance
        digits = _digits(self.source)
        return 0.5 * 10.0**-digits if digits < 12 else _EXACT * max(abs(number), 1e-6)


def _number(source: str | float) -> float | None:
    """The number that a text prints; None if it is a word."""
    if not isinstance(source, str):
        return float(source)
    if fraction := re.fullmatch(r"(-?\d+)/(\d+)", source):
        return int(fraction[1]) / int(fraction[2])
    return float(source) if re.fullmatch(r"-?\d+(\.\d+)?", source) else None


def _digits(source: str | float) -> int:
    """Digits after the point that a text prints; 12 where the figure is exact."""
    if not isinstance(source, str) or "." not in source:
        return 12
    return len(source.partition(".")[2])
