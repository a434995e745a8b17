"""The code of docs/multiclass.md runs and prints what the page says."""

import contextlib
import io
import re
from pathlib import Path

import pytest

PAGE = (Path(__file__).parents[2] / "docs" / "multiclass.md").read_text()


@pytest.mark.filterwarnings("ignore")
def test_the_page_runs_as_printed():
    names: dict[str, object] = {}
    printed = ""
    for language, block in re.findall(r"```(python|text)\n(.*?)```", PAGE, flags=re.DOTALL):
        if language == "text":
            assert printed.strip() == block.strip()
            printed = ""
            continue
        with contextlib.redirect_stdout(io.StringIO()) as out:
            exec(compile(block, "docs/multiclass.md", "exec"), names)
        printed += out.getvalue()
    assert not printed
