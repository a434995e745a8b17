"""The code of docs/ensembles.md runs, and prints what the page says."""

import contextlib
import io
import re
from pathlib import Path

import mercer

PAGE = (Path(__file__).parents[2] / "docs" / "ensembles.md").read_text()


def test_the_page_runs_as_printed():
    names: dict[str, object] = {}
    printed = ""
    for language, block in re.findall(r"```(python|text)\n(.*?)```", PAGE, flags=re.DOTALL):
        if language == "text":
            assert printed.strip() == block.strip()
            printed = ""
            continue
        with contextlib.redirect_stdout(io.StringIO()) as out:
            exec(compile(block, "docs/ensembles.md", "exec"), names)
        printed += out.getvalue()
    assert not printed


def test_every_combiner_of_the_table_is_one():
    for given in re.findall(r"^\| `(mercer\.Forward\(.*?\))` \|", PAGE, flags=re.MULTILINE):
        assert isinstance(eval(given), mercer.Forward)
