"""Values that are elsewhere, in parts: what a solver asks of rows that it does not hold."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol


class Held(Protocol):
    """What was made of the chunks of a table, wherever it is."""

    def share(self, value: Any) -> Any:
        """Something that several questions need, sent once."""

    def ask(self, question: Callable[[Sequence[Any], Any], Any], shared: Any) -> Any:
        """The answers to `question(values, value shared)`, merged; its answer does not depend on their order."""
