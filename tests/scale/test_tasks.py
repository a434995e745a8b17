"""Independent fits as tasks of a cluster of two processes: the same answers as in this process, made elsewhere."""

import os
import warnings
from functools import partial

import joblib
import numpy as np
import pytest
from distributed import Client
from sklearn.ensemble import BaggingClassifier
from sklearn.model_selection import GridSearchCV, cross_validate

import mercer
from mercer.tasks import each_task
from tests.scale.cluster import local_cluster
from tests.scale.rows import people

pytestmark = pytest.mark.filterwarnings("default")  # those of other libraries are not ours to fail on
ROWS = people(300)
X, Y, JOB = ROWS.drop(columns="y"), ROWS.y, ROWS.job
NUMBERS = X[["age", "pay"]].fillna(0)


@pytest.fixture(scope="module")
def client():
    with local_cluster() as cluster, Client(cluster, set_as_default=True) as client:
        yield client


def folds():
    return cross_validate(mercer.SVC(), X, Y, cv=3)["test_score"]


def grid():
    found = GridSearchCV(mercer.DecisionTreeClassifier(), {"max_depth": [1, 2, 3]}, cv=3).fit(X, Y)
    return found.cv_results_["mean_test_score"]


def bootstrap():
    return BaggingClassifier(mercer.NaiveBayes(), 4, random_state=0).fit(NUMBERS, Y).predict_proba(NUMBERS)


def pairs_of_classes():
    return mercer.OneVsOne(mercer.SVC()).fit(NUMBERS, JOB).decision_function(NUMBERS)


def one_against_the_rest():
    return mercer.OneVsRest(mercer.LogisticRegression()).fit(NUMBERS, JOB).predict_proba(NUMBERS)


def under_sampled():
    return mercer.BalancedBagging(mercer.NaiveBayes(), 4).fit(X, Y).predict_proba(X)


def library():
    return mercer.ModelLibrary(["naive_bayes", "linear", "tree", "neighbours"], cv=3).fit(X, Y).predictions_


def ensemble():
    return mercer.EnsembleSelection(["naive_bayes", "linear", "tree"], random_state=0).fit(X, Y).predict_proba(X)


def main_job():
    found = mercer.train(ROWS, "y", learners=["naive_bayes", "linear", "tree", "baseline"], quick=True)
    return np.array([e.held_out["roc_auc"].value for e in found.comparison.leaderboard])


def widths():
    found = mercer.SVC(C="cv", gamma="cv", grid=mercer.Grid(gamma=[0.01, 0.1, 1.0], race=False)).fit(X, Y)
    return [point.scores for point in found.tuning_.points]


def penalties_and_widths():
    found = mercer.KernelLogisticRegression("cv", gamma="cv").fit(NUMBERS, Y)
    return [point.scores for point in found.tuning_.points]


WORKS = [
    folds,
    grid,
    widths,
    penalties_and_widths,
    bootstrap,
    pairs_of_classes,
    one_against_the_rest,
    under_sampled,
    library,
    ensemble,
    main_job,
]


@pytest.mark.parametrize("work", WORKS, ids=lambda work: work.__name__)
def test_a_cluster_gives_the_same_answer(client, work):
    here = work()
    with mercer.scale.on(client):
        there = work()
    with joblib.parallel_config("dask"):
        by_joblib = work()
    np.testing.assert_allclose(there, here, rtol=1e-12)
    np.testing.assert_allclose(by_joblib, here, rtol=1e-12)


def process(offset, item):
    return os.getpid(), item + offset


def test_tasks_are_done_by_the_workers_and_in_order(client):
    with mercer.scale.on(client):
        found = each_task(partial(process, 10), range(6))
    assert [item for _, item in found] == [10, 11, 12, 13, 14, 15]
    assert os.getpid() not in {pid for pid, _ in found}
    assert {pid for pid, _ in each_task(partial(process, 0), range(3))} == {os.getpid()}


def test_warnings_of_workers_are_said_here(client):
    with mercer.scale.on(client), pytest.warns(UserWarning, match=r"item \d of") as said:
        each_task(warns, [1, 2])
    assert [str(one.message) for one in said] == ["item 1 of some", "item 2 of some"]


def warns(item):
    warnings.warn(f"item {item} of some", UserWarning, stacklevel=1)


def nested(item):
    return each_task(partial(process, item), [1, 2])


def test_tasks_within_a_task_stay_on_its_worker(client):
    with mercer.scale.on(client):
        found = each_task(nested, [0, 10])
    assert all(len({pid for pid, _ in pairs}) == 1 for pairs in found)


def fails(item):
    raise mercer.errors.BadTable(f"item {item}")


def test_an_error_of_a_task_is_the_error_of_the_call(client):
    with mercer.scale.on(client), pytest.raises(mercer.errors.BadTable, match="item 1"):
        each_task(fails, [1])
