"""The code of docs/multiclass.md runs and prints what the page says."""

import pytest
from tests.docs.pages import run_as_printed


@pytest.mark.filterwarnings("ignore")
def test_the_page_runs_as_printed():
    run_as_printed("multiclass.md")
