"""Values made of chunks that are asked where they are: all in this process, or on the workers that made them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import Any

from mercer.scale.held.placement import preferred


class HeldHere:
    """Values in this process."""

    def __init__(self, values: Sequence[Any]) -> None:
        self._values = values

    def share(self, value: Any) -> Any:
        """The value itself."""
        return value

    def ask(self, question: Callable[[Sequence[Any], Any], Any], shared: Any) -> Any:
        """The answer of all values."""
        return question(self._values, shared)


class HeldOnWorkers:
    """Values on the workers of a Dask cluster, in as many lists as they have threads.

    A question is one task for each list, on the worker that has it. The values of a worker that is lost are made again
    on the others, from the chunks.
    """

    def __init__(self, client: Any, futures: Sequence[Any], result: Callable[[Sequence[Any]], Any]) -> None:
        """`result`: merges futures and gives what comes out."""
        self._client, self._result = client, result
        groups = defaultdict(list)
        n_threads = client.nthreads()
        for k, (future, worker) in enumerate(zip(futures, _where(client, futures), strict=True)):
            groups[worker, k % n_threads.get(worker, 1)].append(future)
        self._lists = [self._submit(worker, _together, group) for (worker, _), group in groups.items()]
        self._workers: list[str] = []

    def share(self, value: Any) -> Any:
        """A task that gives the value, not data that are scattered: these would be lost with their worker."""
        self._workers = _where(self._client, self._lists)  # others than before if one was lost
        return self._client.submit(_same, value, pure=False)

    def ask(self, question: Callable[[Sequence[Any], Any], Any], shared: Any) -> Any:
        """The answers of all lists, merged."""
        placed = zip(self._workers, self._lists, strict=True)
        return self._result([self._submit(worker, _answer, question, values, shared) for worker, values in placed])

    def _submit(self, worker: str, work: Callable[..., Any], *given: Any) -> Any:
        return self._client.submit(work, *given, pure=False, **preferred(worker))


def _where(client: Any, futures: Sequence[Any]) -> list[str]:
    """The worker that has each of the futures; empty where none has at the moment."""
    found = client.who_has(futures)
    return [next(iter(found.get(future.key, ())), "") for future in futures]


def _together(values: list[Any]) -> list[Any]:
    return [value for value in values if value is not None]


def _answer(question: Callable[[Sequence[Any], Any], Any], values: Sequence[Any], shared: Any) -> Any:
    """A function by name: Dask calls a task by the text of what it runs, and that of a question holds its arrays."""
    return question(values, shared)


def _same(value: Any) -> Any:
    return value
