"""Settings of every test: Hypothesis without a time limit for one example (machines that run the tests are shared),
Ctrl-C in force, which a shell takes from what it starts in the background, and random rows that do not depend on the
tests that ran before; a browser for tests of pages, where there is one.
"""

import shutil
import signal
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import settings

settings.register_profile("mercer", deadline=None, max_examples=50)
settings.load_profile("mercer")
signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(autouse=True, scope="module")
def _after_import(request: pytest.FixtureRequest) -> list[tuple[np.random.BitGenerator, Any]]:
    """The generators of a test module, such as RNG, and where its import left them."""
    found = [one for one in vars(request.module).values() if isinstance(one, np.random.Generator)]
    return [(one.bit_generator, one.bit_generator.state) for one in found]


@pytest.fixture(autouse=True)
def _generators_start_anew(_after_import: list[tuple[np.random.BitGenerator, Any]]) -> Iterator[None]:
    """Each test draws what it draws alone, whatever was drawn before it."""
    _restore(_after_import)
    yield
    _restore(_after_import)  # a fixture of the module may be next


def _restore(states: list[tuple[np.random.BitGenerator, Any]]) -> None:
    for generator, state in states:
        generator.state = state


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """The system's Chromium."""
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed: extra `browser`")
    chromium = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if chromium is None:
        pytest.skip("no Chromium on this machine")
    with playwright.sync_playwright() as running:
        found = running.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        yield found
        found.close()


@pytest.fixture(scope="module")
def axe() -> Callable[[Any], list[tuple[str, list[str]]]]:
    """What axe-core finds against a page: the rule broken, and where."""
    module = pytest.importorskip(
        "axe_playwright_python.sync_playwright", reason="axe-core is not installed: extra `browser`"
    )
    checker = module.Axe()

    def violations(page: Any) -> list[tuple[str, list[str]]]:
        found = checker.run(page).response["violations"]
        return [(rule["id"], [node["html"][:200] for node in rule["nodes"][:3]]) for rule in found]

    return violations
