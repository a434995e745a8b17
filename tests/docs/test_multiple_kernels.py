"""The code of docs/multiple-kernels.md runs and prints what the page says."""

from tests.docs.pages import run_as_printed


def test_the_page_runs_as_printed():
    run_as_printed("multiple-kernels.md")
