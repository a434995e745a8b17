"""Pages that are other files of the repository, or a part of one."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
WHOLE = {
    "architecture.md": "ARCHITECTURE.md",
    "changes.md": "CHANGELOG.md",
    "contributing.md": "CONTRIBUTING.md",
    "security.md": "SECURITY.md",
}


def pages() -> dict[str, str]:
    whole = {path: (ROOT / file).read_text(encoding="utf-8") for path, file in WHOLE.items()}
    return {"glossary.md": glossary(), "benchmarks.md": benchmarks(), **whole}


def section_of_architecture(title: str) -> str:
    """The text of ARCHITECTURE.md below a title of the second level."""
    text = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    return text.partition(f"\n## {title}\n")[2].partition("\n## ")[0]


def glossary() -> str:
    """The glossary of ARCHITECTURE.md, a definition list in the order of the alphabet."""
    rows = re.findall(r"^\| ([^|]+) \| ([^|]+) \|$", section_of_architecture("Glossary"), flags=re.MULTILINE)[1:]
    words = sorted(rows, key=lambda row: row[0].lower())
    return "\n".join(["# Glossary", "", *(f"{word}\n: {meaning}\n" for word, meaning in words)])


def benchmarks() -> str:
    """benchmarks/RESULTS.md under a title of its own."""
    text = (ROOT / "benchmarks" / "RESULTS.md").read_text(encoding="utf-8")
    return "# Benchmarks\n" + text.partition("\n")[2]
