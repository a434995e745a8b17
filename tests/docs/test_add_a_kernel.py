"""The code of docs/add-a-kernel.md runs, and prints what the page says."""

import contextlib
import io
import re
from pathlib import Path

from mercer.kernels import KERNELS

PAGE = Path(__file__).parents[2] / "docs" / "add-a-kernel.md"


def test_the_page_runs_as_printed():
    names: dict[str, object] = {}
    printed = ""
    known = dict(KERNELS)
    try:
        for language, block in re.findall(r"```(python|text)\n(.*?)```", PAGE.read_text(), flags=re.DOTALL):
            if language == "text":
                assert printed.strip() == block.strip()
                printed = ""
                continue
            with contextlib.redirect_stdout(io.StringIO()) as out:
                exec(compile(block, str(PAGE), "exec"), names)
            printed += out.getvalue()
    finally:
        KERNELS.clear()
        KERNELS.update(known)
    assert not printed
    assert {"Wave", "Surprise"} <= set(names)


def test_a_kernel_really_takes_thirty_lines():
    first = re.search(r"```python\n(.*?)```", PAGE.read_text(), flags=re.DOTALL)
    assert first is not None
    assert len([line for line in first.group(1).splitlines() if line.strip()]) <= 30
