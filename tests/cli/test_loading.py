"""Imports of a verb: without garbage collection, which goes on afterwards."""

from __future__ import annotations

import gc

import pytest

from mercer.cli.loading import loading


@pytest.mark.parametrize("collects", [True, False])
def test_the_collector_rests_while_modules_are_loaded(collects: bool) -> None:
    (gc.enable if collects else gc.disable)()
    try:
        with loading():
            assert not gc.isenabled()
        assert gc.isenabled() == collects
    finally:
        gc.enable()


def test_only_what_was_there_the_first_time_is_set_aside() -> None:
    with loading():
        pass
    before = gc.get_freeze_count()
    kept = [[] for _ in range(1000)]
    with loading():
        pass
    assert len(kept) == 1000
    assert gc.get_freeze_count() <= before
