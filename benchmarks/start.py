"""How long until the first line of help, and what does the import cost on top of scikit-learn's base?"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from harness import Row, best


def rows(data: Path) -> list[Row]:
    def run(*arguments: str) -> float:
        return best(lambda: subprocess.run([sys.executable, *arguments], check=True, capture_output=True), 5)

    base = run("-c", "import sklearn.base")
    both = run("-c", "import sklearn.base; import mercer")
    return [
        Row("mercer --help", run("-c", "from mercer.cli import main; main()", "--help"), 0.7, "the limit", "1x"),
        Row("import mercer, beyond import sklearn.base", max(both - base, 1e-3), 0.2, "the limit", "1x"),
    ]
