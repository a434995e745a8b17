"""What scikit-learn's own tests expect around them, and what is done with those that are listed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "thread_unsafe: scikit-learn's word for tests that need a thread of their own")


def pytest_itemcollected(item: pytest.Item) -> None:
    book = _book(item)
    if book is None:
        return
    # What it expects to fail with its own class is no failure that we may share.
    item.own_markers = [mark for mark in item.own_markers if mark.name != "xfail"]
    # What scikit-learn does with numbers beside our classes is its own affair.
    quiet = pytest.mark.filterwarnings("ignore::UserWarning", "ignore:invalid value encountered in cast:RuntimeWarning")
    item.add_marker(quiet, append=False)
    if reason := book.must_fail(item):
        item.add_marker(pytest.mark.xfail(reason=reason, strict=True))


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    others = [item for item in items if (book := _book(item)) is not None and book.is_other(item)]
    config.hook.pytest_deselected(items=others)
    items[:] = [item for item in items if item not in set(others)]


def _book(item: pytest.Item) -> Any:
    return getattr(getattr(item, "module", None), "BORROWED", None)


@pytest.fixture
def global_random_seed() -> int:
    return 42


@pytest.fixture
def global_dtype() -> type[np.float64]:
    return np.float64


@pytest.fixture(autouse=True)
def _borrowed(request: pytest.FixtureRequest) -> Iterator[None]:
    """Look away from the words of a message where the module says so; a test without our classes is an error."""
    book = _book(request.node)
    if book is None:
        yield
        return
    before = book.made
    book.any_words = bool(book.worded & {request.node.name, request.node.originalname})
    yield
    book.any_words = False
    assert book.must_fail(request.node) or book.made > before, (
        "This test meets none of our classes: list it among the others."
    )
