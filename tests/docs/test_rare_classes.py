"""The code of docs/rare-classes.md runs, and prints what the page says."""

import pytest
from tests.docs.pages import run_as_printed


def test_the_page_runs_as_printed():
    pytest.importorskip("imblearn")
    run_as_printed("rare-classes.md")
