"""scikit-learn's names answered by mercer's classes, and given back."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import sklearn.ensemble
import sklearn.linear_model
import sklearn.svm
import sklearn.tree
from sklearn.datasets import load_iris

import mercer
from mercer.patch import REPLACED, replacements


@pytest.fixture(autouse=True)
def _given_back() -> Iterator[None]:
    yield
    mercer.unpatch_sklearn()


def test_every_name_is_replaced_and_given_back() -> None:
    before = replacements()
    mercer.patch_sklearn()
    assert all(getattr(sys.modules[place], n) is getattr(mercer, n) for place, names in REPLACED.items() for n in names)
    assert replacements() == before
    mercer.unpatch_sklearn()
    assert all(getattr(sys.modules[place], n) in before for place, names in REPLACED.items() for n in names)


def test_some_names_can_be_chosen() -> None:
    mercer.patch_sklearn(["SVC", "SVR"])
    assert sklearn.svm.SVC is mercer.SVC and sklearn.svm.NuSVC is not mercer.NuSVC
    mercer.unpatch_sklearn("SVC")
    assert sklearn.svm.SVC is not mercer.SVC and sklearn.svm.SVR is mercer.SVR


def test_patching_twice_still_gives_theirs_back() -> None:
    theirs = sklearn.svm.SVC
    mercer.patch_sklearn()
    mercer.patch_sklearn()
    mercer.unpatch_sklearn()
    assert sklearn.svm.SVC is theirs


def test_a_name_that_mercer_lacks_is_an_error() -> None:
    with pytest.raises(ValueError, match=r"mercer replaces no KMeans of scikit-learn\. It replaces: .*SVC"):
        mercer.patch_sklearn("KMeans")


def test_forests_are_ours_and_other_ensembles_keep_the_trees_they_are_built_on() -> None:
    X, y = load_iris(return_X_y=True)
    mercer.patch_sklearn()
    assert isinstance(sklearn.ensemble.RandomForestClassifier(5), mercer.RandomForestClassifier)
    bags = sklearn.ensemble.BaggingClassifier(n_estimators=5, random_state=0).fit(X, y)
    assert not isinstance(bags.estimators_[0], mercer.DecisionTreeClassifier) and bags.score(X, y) > 0.9


def test_ransac_knows_how_many_rows_a_line_of_ours_needs() -> None:
    X, y = load_iris(return_X_y=True)
    mercer.patch_sklearn()
    model = sklearn.linear_model.RANSACRegressor(sklearn.linear_model.LinearRegression(), random_state=0)
    assert isinstance(model.fit(X, y).estimator_, mercer.LinearRegression)


@pytest.mark.parametrize("name", ["DecisionTreeClassifier", "DecisionTreeRegressor"])
def test_trees_ask_for_the_metadata_that_theirs_ask_for(name: str) -> None:
    theirs, ours = getattr(sklearn.tree, name), getattr(mercer, name)
    assert str(ours().get_metadata_routing()) == str(theirs().get_metadata_routing())


def test_forests_of_several_targets_list_their_numbers_of_classes() -> None:
    X, y = load_iris(return_X_y=True)
    forest = mercer.RandomForestClassifier(3).fit(X, [[label, label % 2] for label in y])
    assert forest.n_classes_ == [3, 2]


def _run(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "mercer.patch", *arguments]
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)


def test_a_script_runs_as_it_stands(tmp_path: Path) -> None:
    (tmp_path / "beside.py").write_text("from sklearn.svm import SVC\n")
    (tmp_path / "script.py").write_text("import sys, beside\nprint(beside.SVC.__module__, sys.argv[1:], __name__)\n")
    run = _run("script.py", "--fast", cwd=tmp_path)
    assert (run.stdout, run.stderr) == ("mercer.estimators.svm.svc ['--fast'] __main__\n", "")
    module = _run("-m", "script", "x", cwd=tmp_path)
    assert module.stdout == "mercer.estimators.svm.svc ['x'] __main__\n"


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [(["none.py"], 2, "there is no file 'none.py'"), ([], 2, "Usage"), (["-m"], 2, "Usage"), (["--help"], 0, "Usage")],
)
def test_wrong_arguments_say_what_is_wrong(tmp_path: Path, arguments: list[str], code: int, said: str) -> None:
    run = _run(*arguments, cwd=tmp_path)
    assert run.returncode == code and said in run.stdout + run.stderr and "Traceback" not in run.stderr
