"""The combiners that docs/ensembles.md lists are ones."""

import re

from tests.docs.pages import page

import mercer

PAGE = page("ensembles.md")


def test_every_combiner_of_the_table_is_one():
    for given in re.findall(r"^\| `(mercer\.Forward\(.*?\))` \|", PAGE, flags=re.MULTILINE):
        assert isinstance(eval(given), mercer.Forward)
