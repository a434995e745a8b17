"""The code of docs/ensembles.md runs, and prints what the page says."""

import re

from tests.docs.pages import page, run_as_printed

import mercer

PAGE = page("ensembles.md")


def test_the_page_runs_as_printed():
    run_as_printed("ensembles.md")


def test_every_combiner_of_the_table_is_one():
    for given in re.findall(r"^\| `(mercer\.Forward\(.*?\))` \|", PAGE, flags=re.MULTILINE):
        assert isinstance(eval(given), mercer.Forward)
