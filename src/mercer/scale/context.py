"""`with on(client):` the ordinary `fit`, given a Dask data frame, works on the cluster."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext, suppress
from functools import wraps
from importlib import import_module
from socket import create_connection
from typing import Any
from urllib.parse import urlsplit

from joblib import parallel_config

from mercer.encode import Encoder
from mercer.errors import BadParameter, BadTarget, MercerError
from mercer.scale.chunks import Chunks, Partition
from mercer.scale.engine import CLIENT
from mercer.scale.fitting import fit
from mercer.scale.registry import FITS

_TARGET = "target"
PATIENCE = 10.0  # seconds that a scheduler or its first worker is waited for


@contextmanager
def on(client: Any = None) -> Iterator[Any]:
    """Let `model.fit(ddf, y)` take Dask data frames, and do their work on a cluster.

    Inside the block, `fit` of every learner that can be fitted in chunks takes a Dask data frame, and as y the name of
    one of its columns or a Dask series beside it; encoders take one without y. Everything else is fitted as ever,
    but what are independent fits are tasks of the cluster: grids and folds of scikit-learn (by joblib's Dask backend),
    the widths that a kernel machine with gamma="cv" searches (each worker takes some, with one kernel matrix for all
    folds and costs), the models of a `ModelLibrary`, the problems of `OneVsOne` and its siblings, the fits of
    `BalancedBagging`, the learners of `mercer.train`.

    Parameters
    ----------
    client : distributed.Client, str or None, default None
        The cluster, or the address of its scheduler; None works through the partitions in this process.

    Yields
    ------
    client : distributed.Client or None
        The same; one of an address is closed at the end of the block.

    Examples
    --------
    >>> import mercer
    >>> with mercer.scale.on():
    ...     mercer.MeanTarget().fit([[0], [1]], [10.0, 20.0]).mean_  # not a Dask data frame: as ever
    15.0
    """
    found = _connected(client) if isinstance(client, str) else client
    token = CLIENT.set(found)
    owners = {next(base for base in cls.__mro__ if "fit" in vars(base)) for cls in (*FITS, Encoder)}
    plain = {cls: vars(cls)["fit"] for cls in owners}
    for cls, method in plain.items():
        cls.fit = _fit_of_partitions(method)  # type: ignore[attr-defined]
    try:
        with nullcontext() if found is None else parallel_config("dask", client=found):
            yield found
    finally:
        for cls, method in plain.items():
            cls.fit = method  # type: ignore[attr-defined]
        CLIENT.reset(token)
        if found is not client:
            with suppress(Exception):  # of a scheduler that is gone
                found.close()


def _fit_of_partitions(method: Callable[..., Any]) -> Callable[..., Any]:
    """The method, but for Dask data frames `mercer.scale.fit`."""

    @wraps(method)
    def fitted(self: Any, X: Any, y: Any = None, *args: Any, **options: Any) -> Any:
        if not hasattr(X, "to_delayed"):
            return method(self, X, y, *args, **options)
        if args or any(value is not None for value in options.values()):
            raise BadParameter("On a Dask data frame, fit takes X and y alone: no sample_weight.")
        data, target = (X, None) if y is None and isinstance(self, Encoder) else beside(X, y)
        return fit(self, data, target)

    return fitted


def beside(X: Any, y: Any) -> tuple[Any, str]:
    """The rows with their target among the columns, and its name."""
    if isinstance(y, str):
        return X, y
    if not hasattr(y, "to_delayed"):
        raise BadTarget(f"y is a {type(y).__name__}; of a Dask data frame it is a column's name or a Dask series.")
    rows, targets = X.to_delayed(), y.to_delayed()
    if len(rows) != len(targets):
        raise BadTarget(f"X has {len(rows)} partitions, but y has {len(targets)}. Take both from one data frame.")
    name = str(y.name or _TARGET)
    while name in X.columns:
        name = f"{name} (target)"
    delayed = import_module("dask").delayed
    pairs = [delayed(_with_target)(part, target, name) for part, target in zip(rows, targets, strict=True)]
    parts = [Partition(f"partition {k} of {len(pairs)}", pair) for k, pair in enumerate(pairs, 1)]
    return Chunks(lambda: parts, parts=parts), name


def _with_target(rows: Any, target: Any, name: str) -> Any:
    if len(rows) != len(target):
        raise BadTarget(f"X has {len(rows):,} rows where y has {len(target):,}. Take both from one data frame.")
    return rows.assign(**{name: target.to_numpy() if target.dtype.kind in "biuf" else list(target)})


def _connected(scheduler: str) -> Any:
    """A client of the Dask scheduler at an address; MercerError where there is none, or it has no worker."""
    try:
        distributed = import_module("distributed")
    except ImportError:
        raise MercerError("A scheduler needs the package dask: pip install 'mercer[scale]'.") from None
    address = scheduler if "://" in scheduler else f"tcp://{scheduler}"
    try:
        _expect_answer(address)
        client = distributed.Client(address, timeout=PATIENCE, set_as_default=False)
    except (OSError, ValueError, TypeError, RuntimeError) as error:
        raise MercerError(
            f"No Dask scheduler answers at {scheduler} ({error}). Start one with `dask scheduler`, whose first lines "
            "say its address, and name that."
        ) from None
    try:
        client.wait_for_workers(1, timeout=PATIENCE)
    except distributed.TimeoutError:
        client.close()
        raise MercerError(
            f"The Dask scheduler at {scheduler} has no workers. Start some: dask worker {scheduler}"
        ) from None
    return client


def _expect_answer(address: str) -> None:
    """OSError or ValueError where nobody listens: a client that cannot connect takes long to be given up."""
    found = urlsplit(address)
    if found.scheme in ("tcp", "tls"):
        create_connection((found.hostname or "", found.port or 8786), timeout=PATIENCE).close()
