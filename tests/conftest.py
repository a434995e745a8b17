"""Settings of every test: Hypothesis without a time limit for one example (machines that run the tests are shared),
Ctrl-C in force, which a shell takes from what it starts in the background, and random rows that do not depend on the
tests that ran before.
"""

import signal
from collections.abc import Iterator
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
