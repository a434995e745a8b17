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

from scale_learners import fit, peak

import mercer

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


def _asked(pipe, model, target, data, n_workers, limit):
    import dask  # noqa: PLC0415
    from distributed import Client, LocalCluster  # noqa: PLC0415

    options = {"threads_per_worker": 1, "memory_limit": limit, "dashboard_address": None, "host": "127.0.0.1"}
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
        except mercer.MercerError as error:
            pipe.send(str(error))
            return
        taken, peaks = perf_counter() - start, sorted(client.run(peak).values())
        ended = len(before - set(client.run(os.getpid).values()))
        pipe.send(Measured(taken, peaks, peak(), ended, found))


def _stay_on(k):
    """One core for this worker, so that native code starts one thread."""
    cores = sorted(os.sched_getaffinity(0))
    os.sched_setaffinity(0, {cores[k % len(cores)]})
