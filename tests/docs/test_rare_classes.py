"""The code of docs/rare-classes.md runs, and prints what the page says."""

import contextlib
import io
import re
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[2] / "docs" / "rare-classes.md"


def test_the_page_runs_as_printed():
    pytest.importorskip("imblearn")
    names: dict[str, object] = {}
    printed = ""
    for language, block in re.findall(r"```(python|text)\n(.*?)```", PAGE.read_text(), flags=re.DOTALL):
        if language == "text":
            assert printed.strip() == block.strip()
            printed = ""
            continue
        with contextlib.redirect_stdout(io.StringIO()) as out:
            exec(compile(block, str(PAGE), "exec"), names)
        printed += out.getvalue()
    assert not printed
