"""A library of models with their out-of-fold predictions, trained within a time limit and kept on disk."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence, Sized
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from copy import copy
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import Any, ClassVar, Literal, TypeAlias

import numpy as np
from sklearn.model_selection import KFold, StratifiedKFold
from sklearn.utils.multiclass import type_of_target

from mercer._core import effective_jobs
from mercer._core.memory import physical_memory
from mercer._core.threads import at_most
from mercer.arrays import Floats, Longs
from mercer.combine.ensemble.folder import LibraryFolder, fingerprint, model_key
from mercer.combine.ensemble.group import ModelGroup
from mercer.combine.ensemble.models import Models, ModelsLike, Pairs, named_models
from mercer.combine.ensemble.training import TrainingData
from mercer.docstrings import shares_docs
from mercer.errors import BadTable, MercerError
from mercer.estimators.sharing import sharing_groups
from mercer.formatting import byte_size
from mercer.parameters import (
    Number,
    Parameters,
    Part,
    Unstored,
    check_parameters,
    parameters_state,
    read_parameters,
)
from mercer.select.copies import MIN_DISTINCT, find_copies
from mercer.state import Reader, State
from mercer.table import Task
from mercer.table.estimator import TableEstimator
from mercer.table.target import one_column, target_columns
from mercer.tasks import cluster_client

TaskName: TypeAlias = Literal["classification", "regression"]
Outcome: TypeAlias = "tuple[Floats | None, ModelRecord]"


@dataclass(frozen=True, slots=True)
class ModelRecord:
    """What became of one model of a library.

    Attributes
    ----------
    name : str
        Its name.
    seconds : float
        How long its folds took, in the run that trained it.
    error : str
        Why it has no predictions; '' when it has.
    is_resumed : bool
        Whether its predictions were read from the folder.
    """

    name: str
    seconds: float
    error: str = ""
    is_resumed: bool = False


@dataclass(frozen=True, slots=True)
class LibraryProgress:
    """How far a library is.

    Attributes
    ----------
    record : ModelRecord
        The model that has just ended.
    done, total : int
        Models that have ended, and all of them.
    seconds_left : float
        Until the last model, as the models so far tell, and at most until the time limit.
    """

    record: ModelRecord
    done: int
    total: int
    seconds_left: float


@shares_docs()
class ModelLibrary(TableEstimator):
    """Models with names, each with predictions for every row by a copy of it that was not fitted to the row.

    Rows written more than once lie in one fold. A model that fails is recorded with its error, and the others go on.
    Kernel machines that differ in C or in another parameter that their kernel does not see share its matrices, and the
    solution for one C starts the next: their predictions are those of machines by themselves within `tol`. Nearest
    neighbours that differ in how many count, and how, share one search for the rows of a fold.

    Parameters
    ----------
    models : {"small", "full"}, list of str, or list of (str, estimator), default "small"
        "small": naive Bayes, a linear model, a tree and boosted trees; "full": every learner of `mercer train` and
        further settings of them; keys of learners, such as "svm"; or mercer's and scikit-learn's estimators with names.
        The first ones are trained first.
    cv : int, default 5
        Folds.
    folder : str, Path or None, default None
        Where predictions are kept as each model ends. A run on the same rows that names the folder takes them from
        there: after a kill it goes on, with the same answer.
    time_limit : float or None, default None
        Seconds after which no further fold is begun; the first model is always trained.
    memory_limit : float or None, default None
        Megabytes for the predictions of all models, and for the kernel matrices that models share; a larger matrix is
        computed row by row. None for half of the machine's memory.
    callback : callable or None, default None
        Given a `LibraryProgress` as each model ends.
    n_jobs : int or None, default None
        Models trained at the same time; None for as many as there are cores. Results do not depend on it.
    random_state : int, default 0
        Seed of the folds, and of the models that mercer lists.

    Attributes
    ----------
    names_ : list of str
        The models that have predictions, in the order of the list.
    models_ : list of estimator
        The same, not fitted.
    predictions_ : ndarray of shape (n_models, n_rows, n_outputs)
        Their out-of-fold predictions: probabilities in a column per class, or numbers; of several targets, the
        columns of one after the other.
    records_ : list of ModelRecord
        What became of each model.
    folds_ : list of ndarray
        Test rows of each fold.

    Examples
    --------
    >>> import mercer
    >>> rows = {"size": [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]}
    >>> library = mercer.ModelLibrary(["naive_bayes", "baseline"], cv=2).fit(rows, list("aaaabbbb"))
    >>> library.names_, library.predictions_.shape
    (['naive_bayes', 'baseline'], (2, 8, 2))
    """

    parameters: ClassVar[Parameters] = {
        "models": Models(),
        "cv": Number(2, 100, whole=True),
        "folder": Unstored("a path or None", lambda f: f is None or isinstance(f, str | Path)),
        "time_limit": Number(0, above=True, optional=True),
        "memory_limit": Number(0, above=True, optional=True),
        "callback": Unstored("a function or None", lambda f: f is None or callable(f)),
        "n_jobs": Number(whole=True, optional=True),
        "random_state": Number(0, 2**32 - 1, whole=True),
    }

    def __init__(
        self,
        models: ModelsLike = "small",
        *,
        cv: int = 5,
        folder: str | Path | None = None,
        time_limit: float | None = None,
        memory_limit: float | None = None,
        callback: Callable[[LibraryProgress], object] | None = None,
        n_jobs: int | None = None,
        random_state: int = 0,
    ) -> None:
        self.models = models
        self.cv = cv
        self.folder = folder
        self.time_limit = time_limit
        self.memory_limit = memory_limit
        self.callback = callback
        self.n_jobs = n_jobs
        self.random_state = random_state

    @shares_docs()
    def fit(self, X: Any, y: Any, sample_weight: Any = None, *, task: TaskName | None = None) -> ModelLibrary:
        """Train every model on folds.

        Parameters
        ----------
        {X}
        y : array-like of shape (n_rows,) or (n_rows, n_targets)
            The class or the number of each row; several targets are all classes or all numbers.
        {sample_weight}
        task : {"classification", "regression"} or None, default None
            What y is; None takes numbers with decimals as numbers, and all else as classes.

        Returns
        -------
        self : ModelLibrary
            The same object, with predictions.
        """
        return self.train(self.read(X, y, sample_weight, task=task))

    @shares_docs()
    def read(self, X: Any, y: Any, sample_weight: Any = None, *, task: TaskName | None = None) -> TrainingData:
        """What `fit` trains on: the rows as a table, the target checked.

        Parameters
        ----------
        {X}
        y : array-like of shape (n_rows,) or (n_rows, n_targets)
            The class or the number of each row; several targets are all classes or all numbers.
        {sample_weight}
        task : {"classification", "regression"} or None, default None
            What y is; None takes numbers with decimals as numbers, and all else as classes.

        Returns
        -------
        data : TrainingData
            Table, target and weights.
        """
        table = self._fit_table(X)
        weight = self._weights(sample_weight, len(table))
        if task is None:
            columns = target_columns(y, len(table)) or [one_column(y, len(table))]
            continuous = all(type_of_target(column).startswith("continuous") for column in columns)
            task = "regression" if continuous else "classification"
        return TrainingData.read(table, y, weight, Task(task))

    def train(self, data: TrainingData) -> ModelLibrary:
        """Train every model on folds of the data.

        Parameters
        ----------
        data : TrainingData
            Table, target and weights.

        Returns
        -------
        self : ModelLibrary
            The same object, with predictions.

        Raises
        ------
        MercerError
            No model has predictions; the message has the error of each.
        BadOutput
            The folder cannot be written: what was written before stays there.
        """
        check_parameters(self)
        listed = named_models(self.models, data.task, len(data.y), self.random_state)
        pairs = [(name, data.model_for(model)) for name, model in listed]
        self.folds_ = deal_folds(data, self.cv, self.random_state)
        self._begin = perf_counter()
        found, self.records_ = self._trained(pairs, data)
        kept = [m for m, predicted in enumerate(found) if predicted is not None]
        if not kept:
            raise every_model_failed([(one.name, one.error) for one in self.records_])
        self.names_ = [pairs[m][0] for m in kept]
        self.models_ = [pairs[m][1] for m in kept]
        self.predictions_ = np.stack([p for p in found if p is not None])
        return self

    def _trained(self, pairs: Pairs, data: TrainingData) -> tuple[list[Floats | None], list[ModelRecord]]:
        """Predictions (None where there are none) and a record of each model."""
        folder = None if self.folder is None else LibraryFolder(Path(self.folder), fingerprint(data, self.folds_))
        budget = self._budget(len(pairs) * len(data.y) * data.n_outputs * 8)
        found: dict[int, Outcome] = {}
        train, n_jobs = self._trainer(data)
        with warnings.catch_warnings(), ThreadPoolExecutor(n_jobs) as pool:  # whose filters are those of all threads
            waiting: list[Future[dict[int, Outcome]]] = []
            for group in sharing_groups([model for _, model in pairs]):
                models = {m: pairs[m][1] for m in group}
                kept = {} if folder is None else _kept(folder, models, (len(data.y), data.n_outputs))
                if kept:
                    found |= {m: (p, ModelRecord(pairs[m][0], s, is_resumed=True)) for m, (p, s) in kept.items()}
                    self._tell([record for _, record in found.values()][-len(kept) :], found, len(pairs))
                else:
                    always = min(group) if not waiting and not found else None
                    waiting.append(pool.submit(train, models, pairs, budget, always))
            try:
                for ended in as_completed(waiting):
                    for m, (predicted, record) in sorted(ended.result().items()):
                        if folder is not None and predicted is not None:
                            folder.write(model_key(pairs[m][1]), record.name, predicted, record.seconds)
                        found[m] = predicted, record
                        self._tell([record], found, len(pairs))
            except BaseException:
                self._begin = -np.inf  # models that are being trained end at their next fold
                pool.shutdown(wait=False, cancel_futures=True)
                raise
        return [found[m][0] for m in range(len(pairs))], [found[m][1] for m in range(len(pairs))]

    def _trainer(self, data: TrainingData) -> tuple[Callable[..., dict[int, Outcome]], int]:
        """`_out_of_fold` for the data, here or as tasks of a cluster, and how many at the same time."""
        client = cluster_client()
        if client is None:
            return partial(self._out_of_fold, data), effective_jobs(self.n_jobs)
        there, library = client.submit(_same, data, pure=False), copy(self)
        library.callback = None

        def trained(*given: Any) -> dict[int, Outcome]:
            library.time_limit = None if self.time_limit is None else max(self._left(), 0.0)
            found: dict[int, Outcome] = client.submit(_train_there, library, there, *given, pure=False).result()
            return found

        return trained, max(1, sum(client.nthreads().values()))

    def _out_of_fold(
        self, data: TrainingData, models: dict[int, Any], pairs: Pairs, budget: int, always: int | None
    ) -> dict[int, Outcome]:
        """Predictions for every row by models that were not fitted to it, of models that share work.

        always : the model that is trained whatever the time
        """
        found = {m: np.empty((len(data.y), data.n_outputs)) for m in models}
        group = ModelGroup(models, data, budget, lambda m: self._left() > 0 or m == always)
        for test in self.folds_:
            predictions = group.predictions(np.setdiff1d(np.arange(len(data.y)), test), [test])
            for m, [predicted] in predictions.items():
                found[m][test] = predicted
        return {
            m: (
                None if m in group.errors else found[m],
                ModelRecord(pairs[m][0], group.seconds[m], group.errors.get(m, "")),
            )
            for m in models
        }

    def _budget(self, predictions: int) -> int:
        """Bytes for what the models trained by one thread share; an error where predictions alone take too many."""
        limit = physical_memory() // 2 if self.memory_limit is None else int(self.memory_limit * 1e6)
        if predictions > limit:
            raise MercerError(
                f"The predictions of the library take {byte_size(predictions)}, more than memory_limit="
                f"{limit / 1e6:.3g} megabytes. Train fewer models, or raise it."
            )
        return (limit - predictions) // effective_jobs(self.n_jobs)

    def _left(self) -> float:
        return np.inf if self.time_limit is None else self.time_limit - (perf_counter() - self._begin)

    def _tell(self, ended: Sequence[ModelRecord], found: Sized, total: int) -> None:
        for done, record in enumerate(ended, len(found) - len(ended) + 1):
            if self.callback is not None:
                rest = (perf_counter() - self._begin) / done * (total - done)
                self.callback(LibraryProgress(record, done, total, max(min(rest, self._left()), 0.0)))

    def to_state(self) -> State:
        """The parameters as plain data; folder and callback are left out."""
        return parameters_state(self)

    @classmethod
    def from_state(cls, state: Reader) -> ModelLibrary:
        """The library, not trained, of checked values."""
        return cls(**read_parameters(state, cls.parameters))


LIBRARY = Part("a mercer.ModelLibrary", ModelLibrary, ModelLibrary.to_state, ModelLibrary.from_state)


def every_model_failed(errors: Sequence[tuple[str, str]]) -> MercerError:
    """The error that tells the first few errors of models, by name."""
    return MercerError("Every model of the library failed. " + "; ".join(f"{n}: {e}" for n, e in errors[:5]))


def _kept(folder: LibraryFolder, models: dict[int, Any], shape: tuple[int, ...]) -> dict[int, tuple[Floats, float]]:
    """What the folder has of models that share work: all or nothing, for the solution of one starts the next."""
    found = {m: folder.read(model_key(model), shape) for m, model in models.items()}
    return {} if None in found.values() else {m: one for m, one in found.items() if one is not None}


def deal_folds(data: TrainingData, n_folds: int, seed: int) -> Sequence[Longs]:
    """Test rows of each fold; classes keep their shares where they can, rows written more than once stay together.

    Of several targets, the classes are the combinations of theirs.
    """
    codes = data.codes if data.codes.ndim == 1 else np.unique(data.codes, axis=0, return_inverse=True)[1].reshape(-1)
    copies = find_copies(data.table, codes)
    if copies is not None and len(copies.first) < MIN_DISTINCT:
        copies = None
    values = codes if copies is None else codes[copies.first]
    n = len(values)
    if n < 4:
        raise BadTable(f"{n} sample{'s' * (n != 1)}: too few for folds. A library of models needs at least 4 rows.")
    splitter: Any = KFold(min(n_folds, n // 2), shuffle=True, random_state=seed)
    most = 0 if data.classes is None else int(np.bincount(values).max())
    if (data.codes.ndim == 1 and data.classes is not None) or most >= 2:
        splitter = StratifiedKFold(max(min(n_folds, n // 2, most), 2), shuffle=True, random_state=seed)
    with warnings.catch_warnings():  # a class with fewer rows than folds is missing from some of them
        warnings.filterwarnings("ignore", "The least populated class", UserWarning)
        tests = [test for _, test in splitter.split(np.empty(n), values)]
    return tests if copies is None else [copies.rows_of(test) for test in tests]


def _same(data: TrainingData) -> TrainingData:
    return data


def _train_there(library: ModelLibrary, data: TrainingData, *given: Any) -> dict[int, Outcome]:
    """On a worker, whose clock is another."""
    library._begin = perf_counter()
    with at_most(1):
        return library._out_of_fold(data, *given)
