"""What several models share while they are fitted: an attribute that is no part of any of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any


@contextmanager
def attached(models: Sequence[Any], name: str, shared: Any) -> Iterator[None]:
    """While it lasts, the models have it under this name.

    Parameters
    ----------
    models : sequence of estimator
        Those that share it.
    name : str
        Of the attribute.
    shared : object
        What they share.

    Yields
    ------
    None
        While they do.
    """
    for model in models:
        setattr(model, name, shared)
    try:
        yield
    finally:
        for model in models:
            model.__dict__.pop(name, None)
