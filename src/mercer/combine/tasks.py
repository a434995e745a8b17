"""Independent pieces of work: one after the other here, or as tasks where joblib's backend is a Dask cluster."""

from __future__ import annotations

from collections.abc import Callable, Iterable
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

    Examples
    --------
    >>> from mercer.combine.tasks import each_task
    >>> each_task(abs, [-1, 2])
    [1, 2]
    """
    if cluster_client() is None:
        return [work(item) for item in items]
    found: list[Result] = joblib.Parallel()(joblib.delayed(_alone)(work, item) for item in items)
    return found


def _alone(work: Callable[[Item], Result], item: Item) -> Result:
    """On a worker, tasks within a task are done in place."""
    with joblib.parallel_config("sequential"):
        return work(item)
