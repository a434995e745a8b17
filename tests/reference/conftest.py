"""What scikit-learn's own tests expect around them, and what is done with those that are listed."""

from __future__ import annotations

import inspect
from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from mercer.table.estimator import TableEstimator

built: Counter[type] = Counter()  # objects of our classes so far


def _counted(cls: type[Any], *args: Any, **params: Any) -> Any:
    built[cls] += 1
    return object.__new__(cls)


# A class without parameters is shown without any, as it is without the count.
_counted.__signature__ = inspect.Signature([inspect.Parameter("cls", inspect.Parameter.POSITIONAL_ONLY)])  # type: ignore[attr-defined]
TableEstimator.__new__ = _counted  # type: ignore[method-assign]


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "thread_unsafe: scikit-learn's word for tests that need a thread of their own")


def pytest_itemcollected(item: pytest.Item) -> None:
    book = _book(item)
    if book is None:
        return
    # What it expects to fail with its own class is no failure that we may share.
    item.own_markers = [mark for mark in item.own_markers if mark.name != "xfail"]
    # What scikit-learn does with numbers beside our classes is its own affair.
    casts = ("invalid value encountered in cast", "overflow encountered in cast", "divide by zero encountered in log")
    quiet = pytest.mark.filterwarnings("ignore::UserWarning", *(f"ignore:{words}:RuntimeWarning" for words in casts))
    item.add_marker(quiet, append=False)
    if reason := book.must_fail(item):
        item.add_marker(pytest.mark.xfail(reason=reason, strict=True))


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    others = [item for item in items if (book := _book(item)) is not None and book.is_other(item)]
    config.hook.pytest_deselected(items=others)
    items[:] = [item for item in items if item not in set(others)]


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Of the tests of each module that build one of our objects, how many pass."""
    counts = {
        kind: Counter(map(_module, terminalreporter.getreports(kind))) for kind in ("passed", "xfailed", "failed")
    }
    modules = sorted({module for found in counts.values() for module in found if module.startswith("test_sklearn_")})
    if modules:
        terminalreporter.section("scikit-learn's own tests, with mercer's classes in place of its own")
    for module in modules:
        total = sum(found[module] for found in counts.values())
        terminalreporter.write_line(f"{module:40} {counts['passed'][module]:5} of {total} pass")


def _module(report: Any) -> str:
    return str(report.nodeid).partition("::")[0].rpartition("/")[2]


def _book(item: pytest.Item) -> Any:
    return getattr(getattr(item, "module", None), "SUBSTITUTED", None)


@pytest.fixture
def global_random_seed() -> int:
    return 42


@pytest.fixture
def pyplot() -> Iterator[Any]:
    """matplotlib without a screen, figures closed afterwards."""
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("agg")
    plots = pytest.importorskip("matplotlib.pyplot")
    yield plots
    plots.close("all")


@pytest.fixture
def global_dtype() -> type[np.float64]:
    return np.float64


@pytest.fixture(autouse=True)
def _builds_ours(request: pytest.FixtureRequest) -> Iterator[None]:
    """A test that builds none of our objects, in its body or its parameters, is an error: it proves nothing."""
    book = _book(request.node)
    if book is None:
        yield
        return
    before = built.total()
    yield
    given = getattr(request.node, "callspec", None)
    ours = built.total() > before or (given and any(isinstance(v, TableEstimator) for v in given.params.values()))
    assert book.must_fail(request.node) or ours, "This test builds none of our objects: list it among the others."
