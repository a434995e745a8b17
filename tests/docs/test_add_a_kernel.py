"""docs/add-a-kernel.md keeps what its title promises."""

import re

from tests.docs.pages import page

PAGE = page("add-a-kernel.md")


def test_a_kernel_really_takes_thirty_lines():
    first = re.search(r"```python\n(.*?)```", PAGE, flags=re.DOTALL)
    assert first is not None
    assert len([line for line in first.group(1).splitlines() if line.strip()]) <= 30
