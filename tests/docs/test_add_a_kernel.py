"""The code of docs/add-a-kernel.md runs, and prints what the page says."""

import re

from tests.docs.pages import page, run_as_printed

from mercer.kernels import KERNELS

PAGE = page("add-a-kernel.md")


def test_the_page_runs_as_printed():
    known = dict(KERNELS)
    try:
        names = run_as_printed("add-a-kernel.md")
    finally:
        KERNELS.clear()
        KERNELS.update(known)
    assert {"Wave", "Surprise"} <= set(names)


def test_a_kernel_really_takes_thirty_lines():
    first = re.search(r"```python\n(.*?)```", PAGE, flags=re.DOTALL)
    assert first is not None
    assert len([line for line in first.group(1).splitlines() if line.strip()]) <= 30
