"""Which models a library holds: one of two lists, learners by their keys, or models with names."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Literal, TypeAlias, get_args

from mercer.combine.members import EstimatorParameter
from mercer.errors import BadFile, MercerError
from mercer.estimators.boosting.classifier import HistGradientBoostingClassifier
from mercer.estimators.boosting.regressor import HistGradientBoostingRegressor
from mercer.estimators.neighbours.classifier import KNeighborsClassifier
from mercer.estimators.neighbours.regressor import KNeighborsRegressor
from mercer.estimators.registry import learners
from mercer.estimators.svm.svc import SVC
from mercer.estimators.svm.svr import SVR
from mercer.estimators.tree.classifier import DecisionTreeClassifier
from mercer.estimators.tree.regressor import DecisionTreeRegressor
from mercer.state import Reader
from mercer.table import Task

Size: TypeAlias = Literal["small", "full"]
Pairs: TypeAlias = list[tuple[str, Any]]
ModelsLike: TypeAlias = Size | Sequence[str] | Sequence[tuple[str, Any]]
_SMALL = ("naive_bayes", "linear", "tree", "boosting")
_MODEL = EstimatorParameter("an estimator", lambda model: True, optional=False)
_MOST_KERNEL_ROWS = 10_000  # as in `mercer train`


class Models:
    """The parameter `models` of a library: checked, stored, read back."""

    def accepts(self, value: Any) -> bool:
        if isinstance(value, str):
            return value in get_args(Size)
        if not isinstance(value, list | tuple) or not value:
            return False
        return all(isinstance(v, str) for v in value) or all(map(_is_pair, value))

    def write(self, value: Any) -> Any:
        if isinstance(value, str):
            return {"size": value}
        if isinstance(value[0], str):
            return {"keys": list(value)}
        return {"models": [{"name": name, "model": _MODEL.write(model)} for name, model in value]}

    def read(self, state: Reader, name: str) -> Any:
        inside = state.child(name)
        if inside.has("size"):
            return inside.text("size", get_args(Size))
        if inside.has("keys"):
            return list(inside.texts("keys"))
        pairs = [(one.text("name"), _MODEL.read(one, "model")) for one in inside.children("models")]
        if not pairs:
            raise BadFile(f"{inside.where}.models: at least one is expected.")
        return pairs

    def __str__(self) -> str:
        return "'small' or 'full', a list of keys of learners, or a list of (name, estimator)"


def _is_pair(value: Any) -> bool:
    named = isinstance(value, tuple | list) and len(value) == 2 and isinstance(value[0], str) and bool(value[0])
    return bool(named) and _MODEL.accepts(value[1])


def named_models(models: ModelsLike, task: Task, n_rows: int, seed: int = 0) -> Pairs:
    """The models of a library, best bets first, each with a name of its own.

    Parameters
    ----------
    models : {"small", "full"}, list of str, or list of (str, estimator)
        "small": naive Bayes, a linear model, a tree and boosted trees; "full": every learner of `mercer train` and
        further settings of them; keys of learners; or models with names.
    task : Task
        What is predicted.
    n_rows : int
        Rows of the table: kernel machines and neighbours are left out of "full" beyond 10,000.
    seed : int, default 0
        Of models that draw at random.

    Returns
    -------
    pairs : list of (str, estimator)
        Not fitted.
    """
    if isinstance(models, str):
        pairs = _learners(task, _SMALL, seed) if models == "small" else list(_full(task, n_rows, seed))
    elif isinstance(models[0], str):
        pairs = _learners(task, [str(key) for key in models], seed)
    else:
        pairs = [(str(pair[0]), pair[1]) for pair in models]
    names = [name for name, _ in pairs]
    twice = [name for name in names if names.count(name) > 1]
    if twice:
        raise MercerError(f"Two models of the library are named {twice[0]!r}. Give each a name of its own.")
    return pairs


def _learners(task: Task, keys: Sequence[str], seed: int) -> Pairs:
    """Learners as `mercer train` has them, in the order of the keys."""
    made = {one.key: one.make(task, seed, 1) for one in learners(task, keys)}
    return [(key, made[key]) for key in keys]


def _full(task: Task, n_rows: int, seed: int) -> Iterator[tuple[str, Any]]:
    """Cheap and usually good ones first; then other settings, then what takes long."""
    made = {one.key: one for one in learners(task)}
    for key in ("boosting", "linear", "naive_bayes", "forest", "extra_trees"):
        yield key, made[key].make(task, seed, 1)
    for rate, leaves in ((0.05, 31), (0.1, 8), (0.05, 63), (0.2, 15)):
        settings = {"learning_rate": rate, "max_leaf_nodes": leaves, "max_iter": 200, "subsample": 0.8}
        yield f"boosting, rate {rate:g}, {leaves} leaves", _boosting(task, int(seed) + 1, **settings)
    small = n_rows <= _MOST_KERNEL_ROWS
    for key in ("tree", "perceptron", *(("svm", "neighbours", "local") if small else ()), "baseline"):
        if key in made:
            yield key, made[key].make(task, seed, 1)
    classes = task is Task.CLASSIFICATION
    tree: Any = DecisionTreeClassifier if classes else DecisionTreeRegressor
    for leaf in (10, 50):
        yield f"tree, leaves of {leaf}", tree(min_samples_leaf=leaf, n_jobs=1)
    if small:
        yield from _neighbours(classes, n_rows)
        yield from _kernel_machines(classes)


def _neighbours(classes: bool, n_rows: int) -> Iterator[tuple[str, Any]]:
    near: Any = KNeighborsClassifier if classes else KNeighborsRegressor
    for k in (k for k in (5, 25, 100) if 4 * k <= n_rows):
        yield f"neighbours, {k}", near(k, weights="distance", metric="heom", n_jobs=1)


def _kernel_machines(classes: bool) -> Iterator[tuple[str, Any]]:
    for cost in (0.1, 1.0, 10.0):
        if classes:
            yield f"svm, C {cost:g}", SVC(kernel="mixed", C=cost, probability="sigmoid", n_jobs=1)
        else:
            yield f"svm, C {cost:g}", SVR(kernel="mixed", C=cost, relative=True, n_jobs=1)


def _boosting(task: Task, seed: int, **settings: Any) -> Any:
    made: Any = HistGradientBoostingClassifier if task is Task.CLASSIFICATION else HistGradientBoostingRegressor
    return made(random_state=seed, n_jobs=1, **settings)
