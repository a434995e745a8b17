"""Independent pieces of work: one after the other here, or as tasks where joblib's backend is a Dask cluster."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeVar

import joblib
from joblib.parallel import get_active_backend

Item = TypeVar("Item")
Result = TypeVar("Result")
_CLUSTER = "DaskDistributedBackend"


def cluster_client() -> Any:
    """The client of `joblib.parallel_config("dask")`, or of `mercer.scale.on(client)`, in force; None of neither."""
    backend = get_active_backend()[0]
    return backend.client if type(backend).__name__ == _CLUSTER else None


def each_task(work: Callable[[Item], Result], items: Iterable[Item]) -> list[Result]:
    """What `work` makes of each item, in their order; work and items are sent to the workers where there are any.

    What it warns of on a worker is said here.

    Examples
    --------
    >>> from mercer.tasks import each_task
    >>> each_task(abs, [-1, 2])
    [1, 2]
    """
    if cluster_client() is None:
        return [work(item) for item in items]
    found: list[tuple[Result, list[Any]]] = joblib.Parallel()(joblib.delayed(_alone)(work, item) for item in items)
    for message in (one for _, said in found for one in said):
        warnings.warn(message, stacklevel=2)
    return [result for result, _ in found]


def shares(items: Sequence[Item]) -> list[Sequence[Item]]:
    """The items in turn to each worker of the cluster; all of them together where there is none.

    Examples
    --------
    >>> from mercer.tasks import shares
    >>> shares([1, 2, 3])
    [[1, 2, 3]]
    """
    client = cluster_client()
    n = 1 if client is None else max(1, min(len(client.ncores()), len(items)))
    return [items[k::n] for k in range(n)]


def _alone(work: Callable[[Item], Result], item: Item) -> tuple[Result, list[Any]]:
    """On a worker, tasks within a task are done in place."""
    with joblib.parallel_config("sequential"), warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        return work(item), [one.message for one in said]
