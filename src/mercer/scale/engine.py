"""One pass over the chunks: work on each, states merged in one fixed order, in this process or on a Dask cluster.

States merge in pairs of neighbours, and pairs of pairs: chunk 1 with 2, 3 with 4, then both, as in a knock-out
tournament. The order depends on the number of chunks alone, so that the result is the same to the last bit whatever
worker did the work, how many there are, and whether one was lost on the way.
"""

from __future__ import annotations

import warnings
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass
from functools import reduce
from importlib import import_module
from itertools import count, islice
from typing import Any, Protocol, TypeAlias

from mercer.errors import BadFile, BadTable, ClusterLost, MercerError, MercerWarning
from mercer.scale.chunks import Chunk, Chunks, Partition
from mercer.scale.held.placement import preferred, release_tasks_of_lost_workers
from mercer.scale.held.values import HeldHere, HeldOnWorkers
from mercer.scale.memory import forget
from mercer.solvers.held import Held
from mercer.table.formats.dialect import Options

Progress: TypeAlias = Callable[[float], None]
_RETRIES = 2  # of a chunk whose reading failed for a reason that is not in the data
_FEW = 8  # answers that are sent and merged here, which saves a task and a transfer for each level of pairs


class Work(Protocol):
    """What is done with a chunk; plain data that any process can be sent."""

    @property
    def options(self) -> Options:
        """How text files are read."""

    def __call__(self, place: int, chunk: Chunk, load: Callable[[], Any]) -> Any:
        """The state of a chunk, which stands at this place and `load` reads; None for no rows."""


class Engine(Protocol):
    """Where a pass over the chunks is made."""

    def merge(self, chunks: Chunks, work: Work, progress: Progress | None = None) -> Any:
        """The states that `work` makes of the chunks, merged; None when no chunk has rows."""

    def each(self, chunks: Chunks, work: Callable[[int], Work], progress: Progress | None = None) -> Iterator[Any]:
        """The state that `work(k)` makes of chunk k, one after the other; None for a chunk without rows."""

    def hold(self, chunks: Chunks, work: Callable[[int], Work], progress: Progress | None = None) -> Held:
        """What `work(k)` makes of chunk k, held where it is made."""

    def forget(self) -> None:
        """Let go of the chunks that were kept from pass to pass."""


@dataclass(frozen=True)
class Failure:
    """What was wrong with a chunk, in place of its state."""

    error: MercerError
    n_chunks: int = 1

    def merge(self, other: Any) -> Failure:
        """The first failure, and how many there are."""
        return Failure(self.error, self.n_chunks + other.n_chunks) if isinstance(other, Failure) else self


class Local:
    """Chunk after chunk in this process: as much memory as one chunk and a few states take."""

    def merge(self, chunks: Chunks, work: Work, progress: Progress | None = None) -> Any:
        """The states that `work` makes of the chunks, merged."""
        states: list[tuple[int, Any]] = []  # of 2^k chunks each, k decreasing
        done = 0
        for done, chunk in enumerate(chunks, 1):
            size, state = 1, _result(run(work, done, chunk))
            while states and states[-1][0] == size:
                state = _result(merged(states.pop()[1], state))
                size *= 2
            states.append((size, state))
            if progress is not None and len(chunks):
                progress(done / len(chunks))
        if not done:
            raise BadTable("There is no chunk to read.")
        _, state = states.pop()
        while states:
            state = _result(merged(states.pop()[1], state))
        return state

    def each(self, chunks: Chunks, work: Callable[[int], Work], progress: Progress | None = None) -> Iterator[Any]:
        """The state of each chunk, one after the other."""
        for k, chunk in enumerate(chunks):
            yield _result(run(work(k), k + 1, chunk))
            if progress is not None and len(chunks):
                progress((k + 1) / len(chunks))

    def hold(self, chunks: Chunks, work: Callable[[int], Work], progress: Progress | None = None) -> Held:
        """What `work(k)` makes of chunk k, held by this process."""
        return HeldHere([value for value in self.each(chunks, work, progress) if value is not None])

    def forget(self) -> None:
        """Let go of the chunks that this process keeps."""
        forget()


class Dask:
    """A task for each chunk and each merge on the workers of a cluster; what a lost worker held is made again.

    A chunk goes to the same worker in every pass, which may have kept it, unless it is gone or another one is idle.
    """

    def __init__(self, client: Any) -> None:
        self.client = client
        release_tasks_of_lost_workers(client)
        self._workers: list[str] = []  # at the start of a pass, in an order that every pass finds again

    def merge(self, chunks: Chunks, work: Work, progress: Progress | None = None) -> Any:
        """The states that `work` makes of the chunks, merged."""
        distributed = import_module("distributed")
        self._look_around()
        # A task, not data that are scattered: these would be lost with the worker that holds them.
        shared = self.client.submit(_same, work, pure=False, retries=_RETRIES)
        futures = [self._started(shared, place, chunk) for place, chunk in enumerate(chunks, 1)]
        if not futures:
            raise BadTable("There is no chunk to read.")
        last = self._merged(futures)
        with _cluster_errors(distributed):
            self._watch(futures, progress)
            return _result(last.result())

    def _merged(self, futures: Sequence[Any]) -> Any:
        """The state of all, by a task for each pair."""
        while len(futures) > 1:
            pairs = [futures[k : k + 2] for k in range(0, len(futures), 2)]
            futures = [p[0] if len(p) == 1 else self.client.submit(merged, *p, pure=False) for p in pairs]
        return futures[0]

    def _watch(self, futures: Sequence[Any], progress: Progress | None) -> None:
        if progress is not None:
            done = import_module("distributed").as_completed(futures, loop=self.client.loop)
            for n_done, _ in enumerate(done, 1):
                progress(n_done / len(futures))

    def each(self, chunks: Chunks, work: Callable[[int], Work], progress: Progress | None = None) -> Iterator[Any]:
        """The state of each chunk, one after the other; the workers are a few chunks ahead and hold no more."""
        distributed = import_module("distributed")
        ahead = 2 * max(1, sum(self._look_around().values()))
        waiting: deque[Any] = deque()
        numbered = enumerate(chunks)
        for done in count(1):
            for k, chunk in islice(numbered, ahead - len(waiting)):
                waiting.append(self._started(work(k), k + 1, chunk))
            if not waiting:
                return
            with _cluster_errors(distributed):
                state = _result(waiting.popleft().result())
            yield state
            if progress is not None and len(chunks):
                progress(done / len(chunks))

    def hold(self, chunks: Chunks, work: Callable[[int], Work], progress: Progress | None = None) -> Held:
        """What `work(k)` makes of chunk k, held by the worker that made it."""
        self._look_around()
        futures = [self._started(work(k), k + 1, chunk) for k, chunk in enumerate(chunks)]
        if not futures:
            raise BadTable("There is no chunk to read.")
        failures = [self.client.submit(_failure, future, pure=False) for future in futures]

        def result(states: Sequence[Any]) -> Any:
            with _cluster_errors(import_module("distributed")):
                return (
                    reduce(merged, self.client.gather(list(states)))
                    if len(states) <= _FEW
                    else self._merged(states).result()
                )

        with _cluster_errors(import_module("distributed")):
            self._watch(futures, progress)
        _result(result(failures))
        return HeldOnWorkers(self.client, futures, result)

    def forget(self) -> None:
        """Let go of the chunks that the workers keep; one that does not answer will with the next fit."""
        with suppress(Exception):
            self.client.run(forget, on_error="ignore")

    def _look_around(self) -> dict[str, int]:
        """The threads of each worker that is there."""
        found: dict[str, int] = self.client.nthreads()
        self._workers = sorted(found)
        return found

    def _started(self, shared: Any, place: int, chunk: Chunk) -> Any:
        if not isinstance(chunk, Partition):
            worker = self._workers[place % len(self._workers)] if self._workers else ""
            return self.client.submit(run, shared, place, chunk, pure=False, retries=_RETRIES, **preferred(worker))
        delayed = import_module("dask").delayed
        task = delayed(run_loaded, pure=False)(shared, place, chunk.name, chunk.delayed)
        return self.client.compute(task, retries=_RETRIES)


@contextmanager
def _cluster_errors(distributed: Any) -> Iterator[None]:
    """What befalls a cluster, as errors of mercer that say what next."""
    try:
        yield
    except distributed.KilledWorker as error:
        raise MercerError(
            f"The workers of the cluster ended again and again while they worked ({error}). They may lack memory: "
            "give smaller chunks (cells=) or more memory to each worker."
        ) from None
    except (distributed.CancelledError, distributed.comm.CommClosedError) as error:
        raise ClusterLost(
            f"The cluster was lost while it worked ({type(error).__name__}). Nothing is kept: connect again and start "
            "again."
        ) from None


def run(work: Work, place: int, chunk: Chunk) -> Any:
    """The state of a chunk, or the failure to make one."""
    with _failures(chunk) as failed, warnings.catch_warnings():
        warnings.simplefilter("ignore", MercerWarning)  # each chunk would say the same
        return work(place, chunk, lambda: chunk.read(work.options))
    return failed[0]


def run_loaded(work: Work, place: int, name: str, loaded: Any) -> Any:
    """The state of a partition that Dask computed."""
    chunk = Partition(name, None)
    with _failures(chunk) as failed, warnings.catch_warnings():
        warnings.simplefilter("ignore", MercerWarning)
        return work(place, chunk, lambda: loaded)
    return failed[0]


def merged(a: Any, b: Any) -> Any:
    """The state of two neighbours; None has no rows, and a failure stays."""
    if a is None or b is None:
        return b if a is None else a
    if isinstance(b, Failure) and not isinstance(a, Failure):
        return b
    try:
        return a.merge(b)
    except MercerError as error:
        return Failure(error)


def _result(state: Any) -> Any:
    if not isinstance(state, Failure):
        return state
    more = f" {state.n_chunks - 1:,} more chunks fail too." if state.n_chunks > 1 else ""
    raise type(state.error)(f"{state.error}{more}")


@contextmanager
def _failures(chunk: Chunk) -> Iterator[list[Failure]]:
    """Errors while the chunk is worked on, as failures."""
    found: list[Failure] = []
    try:
        with named_errors(chunk):
            yield found
    except MercerError as error:
        found.append(Failure(error))


@contextmanager
def named_errors(chunk: Chunk) -> Iterator[None]:
    """Errors while a chunk is worked on, with its name in front."""
    try:
        yield
    except MercerError as error:
        text = str(error)
        raise type(error)(text if text.startswith(chunk.name) else f"{chunk.name}: {text}") from None
    except (OSError, UnicodeError) as error:
        raise BadFile(f"{chunk.name} cannot be read: {error}. Write it again, or leave it out.") from None


def _failure(state: Any) -> Failure | None:
    return state if isinstance(state, Failure) else None


def _same(work: Work) -> Work:
    return work


CLIENT: ContextVar[Any] = ContextVar("client", default=None)  # of `on`


def engine_of(client: Any) -> Engine:
    """The engine of a client, of `on`, or of this process."""
    client = CLIENT.get() if client is None else client
    return Local() if client is None else Dask(client)
