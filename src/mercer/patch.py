"""scikit-learn's names answered by mercer's classes, without a changed line in the program that uses them.

`patch_sklearn()` before the first `from sklearn.svm import SVC`, or `python -m mercer.patch script.py` for a script as
it stands. Both are undone by `unpatch_sklearn()`.
"""

from __future__ import annotations

import runpy
import sys
from collections.abc import Iterable
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import sklearn

import mercer

# Where a class of theirs stands for users -> its name, which is ours too.
REPLACED: dict[str, tuple[str, ...]] = {
    "sklearn.ensemble": (
        "ExtraTreesClassifier",
        "ExtraTreesRegressor",
        "HistGradientBoostingClassifier",
        "HistGradientBoostingRegressor",
        "RandomForestClassifier",
        "RandomForestRegressor",
    ),
    "sklearn.kernel_ridge": ("KernelRidge",),
    "sklearn.linear_model": ("LinearRegression", "LogisticRegression", "Perceptron"),
    "sklearn.naive_bayes": ("BernoulliNB", "CategoricalNB", "ComplementNB", "GaussianNB", "MultinomialNB"),
    "sklearn.neighbors": ("KNeighborsClassifier", "KNeighborsRegressor"),
    "sklearn.svm": ("LinearSVC", "LinearSVR", "NuSVC", "NuSVR", "OneClassSVM", "SVC", "SVR"),
    "sklearn.tree": ("DecisionTreeClassifier", "DecisionTreeRegressor"),
}
_originals: dict[tuple[str, str], Any] = {}


def patch_sklearn(names: str | Iterable[str] | None = None) -> None:
    """Put mercer's classes where scikit-learn's of the same name stand.

    Call it before names are imported from scikit-learn: what a module imported earlier keeps is what it was. What
    scikit-learn builds of its own classes inside (the trees of its other ensembles) stays scikit-learn's.

    Parameters
    ----------
    names : str or iterable of str, optional
        Class names to replace, such as "SVC"; all that mercer has when not given.

    Raises
    ------
    ValueError
        For a name that mercer does not replace.

    See Also
    --------
    unpatch_sklearn : Puts scikit-learn's classes back.

    Examples
    --------
    >>> import mercer
    >>> mercer.patch_sklearn("SVC")
    >>> from sklearn.svm import SVC
    >>> SVC is mercer.SVC
    True
    >>> mercer.unpatch_sklearn()
    >>> from sklearn.svm import SVC
    >>> SVC is mercer.SVC
    False
    """
    chosen = _chosen(names)
    _import_everything()
    for place, name in chosen:
        module = import_module(place)
        _originals.setdefault((place, name), getattr(module, name))
        setattr(module, name, getattr(mercer, name))


def unpatch_sklearn(names: str | Iterable[str] | None = None) -> None:
    """Put scikit-learn's classes back where `patch_sklearn` put mercer's.

    Parameters
    ----------
    names : str or iterable of str, optional
        Class names to put back; all when not given.

    Raises
    ------
    ValueError
        For a name that mercer does not replace.

    See Also
    --------
    patch_sklearn : Puts mercer's classes there.

    Examples
    --------
    >>> import mercer
    >>> mercer.patch_sklearn()
    >>> mercer.unpatch_sklearn()
    """
    for key in _chosen(names):
        if key in _originals:
            setattr(import_module(key[0]), key[1], _originals.pop(key))


def replacements() -> dict[type, type]:
    """scikit-learn's class -> mercer's class that replaces it."""
    return {_theirs(place, name): getattr(mercer, name) for place, names in REPLACED.items() for name in names}


def _theirs(place: str, name: str) -> type:
    found: type = _originals.get((place, name)) or getattr(import_module(place), name)
    return found


def _chosen(names: str | Iterable[str] | None) -> list[tuple[str, str]]:
    everything = [(place, name) for place, found in REPLACED.items() for name in found]
    if names is None:
        return everything
    wanted = {names} if isinstance(names, str) else set(names)
    if unknown := wanted - {name for _, name in everything}:
        known = ", ".join(sorted(name for _, name in everything))
        raise ValueError(f"mercer replaces no {', '.join(sorted(unknown))} of scikit-learn. It replaces: {known}.")
    return [(place, name) for place, name in everything if name in wanted]


def _import_everything() -> None:
    """scikit-learn's packages take each other's classes when first imported: its forests would take our trees."""
    for package in sklearn.__all__:
        if find_spec(f"sklearn.{package}"):  # and not a function, such as sklearn.clone
            import_module(f"sklearn.{package}")


def main(arguments: list[str]) -> int:
    """Run a script, or a module after -m, with scikit-learn patched."""
    if not arguments or arguments[0] in ("-h", "--help") or arguments == ["-m"]:
        print(
            "Usage: python -m mercer.patch script.py [arguments]\n       python -m mercer.patch -m module [arguments]"
        )
        return 0 if arguments[:1] in (["-h"], ["--help"]) else 2
    patch_sklearn()
    if arguments[0] == "-m":
        sys.argv = arguments[1:]
        runpy.run_module(arguments[1], run_name="__main__", alter_sys=True)
    elif Path(arguments[0]).is_file():
        sys.argv = arguments
        sys.path[0] = str(Path(arguments[0]).resolve().parent)
        runpy.run_path(arguments[0], run_name="__main__")
    else:
        print(f"mercer.patch: there is no file {arguments[0]!r}.", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    from mercer.patch import main as run  # the module that `mercer.patch_sklearn` names, not its copy called __main__

    sys.exit(run(sys.argv[1:]))
