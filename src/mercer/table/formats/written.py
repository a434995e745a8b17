"""A number as it is written: its digits, and the currency, per cent, thousands and millions or unit beside them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple
from unicodedata import decimal

SCALES = {
    "k": 1e3, "m": 1e6, "mn": 1e6, "mio": 1e6, "mio.": 1e6, "b": 1e9, "bn": 1e9, "mrd": 1e9, "mrd.": 1e9, "t": 1e12,
    "tsd": 1e3, "tsd.": 1e3,
}  # fmt: skip
# A flat 4b is no billion: these need a fraction or a currency somewhere in the column to be read as scales.
DOUBTFUL_SCALES = frozenset({"b", "t"})
CURRENCIES = (
    "US$", "A$", "C$", "R$", "$", "€", "£", "¥", "₹", "₽", "₩", "₺", "USD", "EUR", "GBP", "CHF", "JPY", "CAD", "AUD",
    "NZD", "CNY", "INR", "SEK", "NOK", "DKK", "PLN", "CZK", "HUF", "BRL", "MXN", "ZAR", "Fr.", "kr", "zł", "Kč", "Rs.",
    "Rs",
)  # fmt: skip
_SYMBOLS = {
    "EUR": "€", "GBP": "£", "JPY": "¥", "INR": "₹", "Rs.": "₹", "Rs": "₹", "US$": "USD",
    "A$": "AUD", "C$": "CAD", "R$": "BRL", "Fr.": "CHF", "zł": "PLN", "Kč": "CZK",
}  # fmt: skip
_SHARED = {"$": {"USD", "CAD", "AUD", "NZD", "MXN"}, "¥": {"CNY"}, "kr": {"SEK", "NOK", "DKK"}}  # signs of several
# Case matters (mW, MW). One letter needs a blank before it: 12A is a flat, 12 A a current.
_UNITS = (
    "kg g mg µg ug t lb lbs oz st km m cm mm µm um nm mi mile miles ft feet in inch inches yd m² m2 km² km2 cm² cm2 "
    "mm² mm2 sqft sqm ha acre acres m³ m3 cm³ cm3 cc l L ml mL dl dL cl gal s sec secs second seconds ms µs us ns min "
    "mins minute minutes h hr hrs hour hours d day days wk week weeks mo month months mth mths y yr yrs year years "
    "°C °F °K C F ° deg W kW MW mW kWh MWh Wh V kV mV A mA Ah mAh Hz kHz MHz GHz Ω ohm J kJ MJ cal kcal N Nm kNm Pa "
    "hPa kPa MPa bar mbar psi mmHg bpm dB rpm mph kmh km/h kph m/s kmpl mpg km/kg hp bhp PS kB KB MB GB TB bit kbit "
    "Mbit Mbps Gbps px pt MP mg/dl mg/dL mmol/l mmol/L g/dl g/dL IU U mol mmol ppm ppb x pcs pieces people persons "
    "rooms room points pts times copies items"
)
UNITS = frozenset(_UNITS.split())
_PLURALS = {unit: f"{unit}s" for unit in UNITS if len(unit) > 2 and f"{unit}s" in UNITS}
PLAIN_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)
_SIGNS = {
    "\u066b": ".", "\u066c": ",", "\uff0e": ".", "\uff0c": ",", "\u2212": "-", "\uff0d": "-", "\uff05": "%",
    "\u066a": "%", "\xa0": " ", "\u2007": " ", "\u2009": " ", "\u202f": " ", "\u2019": "'",
}  # fmt: skip
_AFFIX = "|".join(re.escape(c) for c in sorted(CURRENCIES, key=len, reverse=True))
_CELL = re.compile(
    rf"(?P<open>\()?\s?(?P<sign>[+-])?\s?(?P<before>{_AFFIX})?\s?(?P<sign2>[+-]|\()?"
    rf"(?P<body>\d+,\d+[eE][+-]?\d{{1,3}}|[.,]?\d(?:[\d.,' ]*\d)?[.,]?)(?P<minus>-(?=\s?(?:{_AFFIX})))?(?P<blank>\s?)"
    rf"(?P<after>%|{_AFFIX}|[^\W\d_°%µΩ][^\s\d(),+-]{{0,8}}|[°µΩ]\w*)?"
    rf"(?:\s?(?P<after2>{_AFFIX}))?(?P<trail>-)?\s?(?P<close>\))?"
)
POINT = re.compile(
    r"(?:\d+|[1-9]\d{0,2}(?:(?P<group>[,' ])\d{3})(?:(?P=group)\d{3})*|[1-9]\d?(?:,\d\d)+,\d{3})(?:\.\d*)?|\.\d+"
)
COMMA = re.compile(
    r"(?:\d+|[1-9]\d{0,2}(?:(?P<group>[.' ])\d{3})(?:(?P=group)\d{3})*)(?:,\d+)?|,\d+|\d+,\d+[eE][+-]?\d{1,3}"
)
_NO_CENTS = re.compile(r"(?<=\d)[.,][-\u2013\u2014]{1,2}(?=\s|$|[^\d,.-])")  # 12,- and 12.-- are 12


class Written(NamedTuple):
    """The parts of a number as written."""

    negative: bool
    body: str  # digits, groups and decimal mark
    currency: str
    after: str  # "%", a scale or a unit; "" for none
    accounting: str  # how a sign is written other than in front: "(" or "-" behind
    blank: bool  # between the number and what stands behind it


def same_unit(unit: str) -> str:
    """The name of a unit in the plural: year and years are one."""
    return _PLURALS.get(unit, unit)


def same_currency(currency: str) -> str:
    """The one name of a currency: EUR and € are one."""
    return _SYMBOLS.get(currency, currency)


ONE_NAME = tuple(sorted(set(map(same_currency, CURRENCIES))))  # a name for each currency


def may_be_one(first: str, second: str) -> bool:
    """Whether two names may be of one currency: $ is that of several countries, and USD of one."""
    return is_sign_of(first, second) or is_sign_of(second, first)


def is_sign_of(sign: str, currency: str) -> bool:
    """Whether a currency is written so: USD as USD, or as $."""
    return sign == currency or currency in _SHARED.get(sign, ())


def parts(cell: str) -> Written | None:
    """The parts of a number as written; None for other cells.

    >>> parts("$(1,234.50)").accounting, parts("4.823,06- EUR").negative, parts("12,- €").body
    ('(', True, '12')
    """
    match = _CELL.fullmatch(_NO_CENTS.sub("", cell, count=1))
    if match is None or bool(match["open"] or match["sign2"] == "(") != bool(match["close"]):
        return None
    signs = [s for s in (match["sign"], match["sign2"], match["open"], match["minus"], match["trail"]) if s]
    after, more = match["after"] or "", match["after2"]
    currencies = [c for c in (match["before"], more, after if after in CURRENCIES else None) if c]
    if len(signs) > 1 or len(currencies) > 1:
        return None
    after = "" if after in CURRENCIES else after
    accounting = "(" if match["close"] else match["trail"] or match["minus"] or ""
    currency = same_currency(currencies[0]) if currencies else ""
    negative = "+" not in signs and bool(signs)
    return Written(negative, match["body"], currency, after, accounting, bool(match["blank"]))


def one_currency(names: Iterable[str]) -> set[str]:
    """The currencies among these, without a sign that is that of another of them: of $ and USD, USD."""
    found = set(names) - {""}
    return {name for name in found if not any(name != other and is_sign_of(name, other) for other in found)}


def number_parts(cell: str) -> Written | None:
    """The parts of a number as written, also of one with an exponent."""
    plain = Written(False, "1", "", "", "", False) if PLAIN_NUMBER.fullmatch(cell) else None
    return parts(cell) or plain


def unit_of(cell: str) -> str:
    """The currency, per cent or unit of a number; "" where it has none, or is none."""
    found = parts(ascii_number(cell))
    return "" if found is None else found.currency or ("" if found.after.lower() in SCALES else same_unit(found.after))


def ascii_number(cell: str) -> str:
    """A number in the digits, signs and blanks of another script (Arabic-Indic, full-width), in those of ASCII."""
    if cell.isascii():
        return cell
    return "".join(_SIGNS.get(c, c) if (digit := decimal(c, None)) is None else str(digit) for c in cell)
