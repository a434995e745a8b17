"""Whole numbers that may be names of rows or of things rather than amounts: customer ids, zip codes."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

# What names a row. "paid" and "grid" end in id, too: without a mark before it, Id must be in capitals.
_OF_ROWS = re.compile(
    r"(?i:(^|[\s_.-])(id|key|index|uuid|guid|row|nr|no|number|num|identifier|ssn)$|^(order|unnamed.*|column_1)$)|[a-z](Id|ID)$"
)
_BY_ID = re.compile(r"(?i:(^|[\s_.-])(id|uuid|guid|identifier|ssn)$)|[a-z](Id|ID)$")
_OF_THINGS = {"id", "key", "code", "zip", "zipcode", "postcode", "plz", "uuid", "ssn", "isbn", "sku", "identifier"}
_FEW, _UNIQUE = 100, 0.98
_SAMPLE = 2000
NEARLY = 0.9  # of the whole numbers in a column of identifiers differ: some are met twice


def names_rows(name: str) -> bool:
    """Whether a column's name says that it numbers or names the rows."""
    return bool(_OF_ROWS.search(name))


def is_called_id(name: str) -> bool:
    """Whether a column's name says that its cells tell things apart, which may have several rows."""
    return bool(_BY_ID.search(name))


def names_things(name: str) -> bool:
    """Whether a column's name says that it numbers or names something."""
    words = re.sub(r"([a-z])([A-Z])", r"\1_\2", name).lower()
    return not _OF_THINGS.isdisjoint(re.split(r"[^a-z0-9]+", words))


def looks_like_names(name: str, n_known: int, all_differ: Callable[[float], bool]) -> str:
    """Why the whole numbers of a column look like names of something; '' where they do not.

    all_differ : whether more than a share of the numbers differ, as `nearly_all_differ` tells
    """
    if names_things(name):
        return "its name says that it numbers or names something, but its whole numbers are used as amounts"
    if n_known >= _FEW and all_differ(_UNIQUE):
        return "nearly every row has a whole number of its own, as an identifier would"
    return ""


def nearly_all_differ(numbers: NDArray[Any], share: float) -> bool:
    """Whether more than this share of some numbers, none missing, differ: of the first 2,000 and of all."""
    return all(len(np.unique(n)) > share * len(n) for n in (numbers[:_SAMPLE], numbers))
