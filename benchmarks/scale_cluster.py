"""Fits of benchmarks/scale.py on clusters: the clock, and the peak memory of each worker and of the process that asks.

A worker is a process of one core and one thread, and nothing is spilled to the disk. The process that asks is one of
its own for each fit, so that its peak is that of this fit; it is ended after `minutes`.
"""

from __future__ import annotations

import multiprocessing
import os
from dataclasses import dataclass
from time import perf_counter
from typing import Any
from unittest.mock import patch

from scale_learners import fit, peak

import mercer
from mercer.errors import MercerError

_THREADS = ("POLARS_MAX_THREADS", "OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS")
_NO_SPILL = {"distributed.worker.memory.target": False, "distributed.worker.memory.spill": False}


@dataclass(frozen=True)
class Measured:
    """Seconds by the clock, peak bytes of each worker and of the process that asks, workers that ended; the model."""

    seconds: float
    workers: list[int]
    here: int
    ended: int
    model: Any

    def __str__(self):
        peaks = ", ".join(f"{b / 1e9:.2f}" for b in self.workers)
        lost = f"; {self.ended} WORKERS ENDED" if self.ended else ""
        return f"{self.seconds:.1f} s, peaks of workers {peaks} GB, of who asks {self.here / 1e9:.2f} GB{lost}"


def measure(model, target, data, n_workers, limit, minutes):
    """A fit to files on a cluster as Measured, or in words what went wrong."""
    context = multiprocessing.get_context("spawn")
    mine, theirs = context.Pipe()
    process = context.Process(target=_asked, args=(theirs, model, target, data, n_workers, limit))
    process.start()
    theirs.close()
    try:
        return mine.recv() if mine.poll(60 * minutes) else f"stopped after {minutes:g} minutes"
    except EOFError:
        return "the process that asks ended"
    finally:
        if process.is_alive() and not mine.poll(0):
            process.terminate()
        process.join()


def gain_of_machine(model, target, data):
    """How much sooner two processes that share nothing are done than one with the work of both: half of the files each.

    No cluster can do better: the processes do not wait for each other, but share memory, cache and what else runs.
    """
    middle = len(data) // 2
    halves = [data[:middle], data[middle : 2 * middle]]
    return 2 * _apart(model, target, halves[:1]) / _apart(model, target, halves)


def _apart(model, target, parts):
    """Seconds until fits to each of the parts, at once and in a process and on a core of their own, are done."""
    context, pipes = multiprocessing.get_context("spawn"), []
    with patch.dict(os.environ, dict.fromkeys(_THREADS, "1")):
        for k, part in enumerate(parts):
            mine, theirs = context.Pipe()
            context.Process(target=_fit_part, args=(theirs, model, target, part, k)).start()
            pipes.append(mine)
    for pipe in pipes:
        pipe.recv()
    for pipe in pipes:
        pipe.send("begin")
    return max(pipe.recv() for pipe in pipes)


def _fit_part(pipe, model, target, data, k):
    _stay_on(k)
    pipe.send("ready")
    pipe.recv()
    start = perf_counter()
    fit(model, data, target)
    pipe.send(perf_counter() - start)


def _asked(pipe, model, target, data, n_workers, limit):
    import dask  # noqa: PLC0415
    from distributed import Client, LocalCluster  # noqa: PLC0415

    options = {"threads_per_worker": 1, "memory_limit": limit, "dashboard_address": ":0", "host": "127.0.0.1"}
    one_core = {"env": {"POLARS_MAX_THREADS": "1"}, "silence_logs": 50}
    with (
        dask.config.set(_NO_SPILL),
        LocalCluster(n_workers=n_workers, **options, **one_core) as cluster,
        Client(cluster) as client,
    ):
        for k, address in enumerate(client.run(os.getpid)):
            client.run(_stay_on, k, workers=[address])
        baseline = mercer.MeanTarget() if target == "amount" else mercer.MajorityClass()
        fit(baseline, data[: 2 * n_workers], target, client)  # workers import what they need
        before, start = set(client.run(os.getpid).values()), perf_counter()
        try:
            found = fit(model, data, target, client)
        except MercerError as error:
            pipe.send(str(error))
            return
        taken, peaks = perf_counter() - start, sorted(client.run(peak).values())
        ended = len(before - set(client.run(os.getpid).values()))
        pipe.send(Measured(taken, peaks, peak(), ended, found))


def _stay_on(k):
    """One core for this worker, so that native code starts one thread."""
    cores = sorted(os.sched_getaffinity(0))
    os.sched_setaffinity(0, {cores[k % len(cores)]})
