"""The code of docs/larger-than-memory.md runs, and prints what the page says."""

import pytest
from tests.docs.pages import run_as_printed


@pytest.mark.filterwarnings("default")  # Dask's own
def test_the_page_runs_as_printed():
    run_as_printed("larger-than-memory.md")
