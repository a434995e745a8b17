"""Pages of the documentation: their code is run, and prints what the page says it does."""

import contextlib
import io
import re
from pathlib import Path

DOCS = Path(__file__).parents[2] / "docs"


def page(name):
    return (DOCS / name).read_text()


def run_as_printed(name):
    """Run the code of a page, compare what it prints with the page, and give the names it defined."""
    names, printed = {}, ""
    for language, block in re.findall(r"```(python|text)\n(.*?)```", page(name), flags=re.DOTALL):
        if language == "text":
            assert printed.strip() == block.strip()
            printed = ""
            continue
        with contextlib.redirect_stdout(io.StringIO()) as out:
            exec(compile(block, f"docs/{name}", "exec"), names)
        printed += out.getvalue()
    assert not printed
    return names
