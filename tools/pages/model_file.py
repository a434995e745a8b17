"""What a model file may hold, from the code that reads it: classes, types of arrays, limits, what the card says."""

from __future__ import annotations

from dataclasses import fields

from mercer.store import Card
from mercer.store.envelope import FORMAT, MAX_BYTES, MAX_MANIFEST
from mercer.store.manifest import ARRAY_TYPES, MAX_DEPTH
from mercer.store.registry import ADAPTED, STORABLE


def pages() -> dict[str, str]:
    own = sorted(name for name, kind in STORABLE.items() if kind.__module__.startswith("mercer."))
    adapted = sorted(name for name, adapter in ADAPTED.items() if adapter.estimator.__module__.startswith("sklearn."))
    lines = [
        "# What a model file may hold", "",
        "Generated from the code that reads model files. [How a file is laid out](../model-file.md).", "",
        "| what | limit |", "|---|---|",
        f"| version of the format | {FORMAT} |",
        f"| size of the file | {MAX_BYTES:,} bytes, unless `mercer.load(limit=...)` says otherwise |",
        f"| size of the manifest | {MAX_MANIFEST:,} bytes |",
        f"| nesting of the manifest | {MAX_DEPTH} levels |",
        f"| types of arrays | {', '.join(ARRAY_TYPES.values())} |",
        f"| names in the card | {', '.join(f'`{field.name}`' for field in fields(Card))} |", "",
        "## Classes", "", ", ".join(f"`{name}`" for name in own), "",
        "## Estimators of scikit-learn around them", "", ", ".join(f"`{name}`" for name in adapted), "",
    ]  # fmt: skip
    return {"model-classes.md": "\n".join(lines)}
