"""The worker of a Dask cluster that a task would rather run on."""

from __future__ import annotations

from functools import cache
from typing import Any

_NAME = "mercer: tasks of workers that are gone"


def preferred(worker: str) -> dict[str, Any]:
    """Options of `client.submit` for a task of this worker that others may do as well; '' for any worker."""
    return {"workers": [worker], "allow_other_workers": True} if worker else {}


def release_tasks_of_lost_workers(client: Any) -> None:
    """Let the scheduler forget a preference for a worker when that leaves the cluster.

    Without it a task that became ready while no worker was there would wait for its own for ever: Dask asks a worker
    that joins for such tasks by their preference alone, though others are allowed.
    """
    client.register_plugin(_plugin())


@cache
def _plugin() -> Any:
    from distributed import SchedulerPlugin  # noqa: PLC0415

    class Release(SchedulerPlugin):  # here, so that it is sent whole to a scheduler that has no mercer
        name = _NAME
        idempotent = True

        def remove_worker(self, scheduler: Any, worker: str, **given: Any) -> None:
            for task in scheduler.tasks.values():
                if task.loose_restrictions and worker in (task.worker_restrictions or ()):
                    task.worker_restrictions = (task.worker_restrictions - {worker}) or None

    return Release()
