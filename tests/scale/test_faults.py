"""What goes wrong while learners are fitted: the same answer, or an error that says which file."""

import os
import signal

import polars as pl
import pytest
from distributed import Client
from sklearn.base import clone, is_regressor

import mercer
from mercer.errors import BadFile, ClusterLost
from mercer.scale import memory
from mercer.scale.learners import planes
from mercer.scale.learners.tree import boosting
from mercer.solvers.tree import apart
from tests.scale.cluster import local_cluster
from tests.scale.rows import ROWS, cut, expect_same

pytestmark = pytest.mark.filterwarnings("default")  # those of other libraries are not ours to fail on
MODELS = {
    "naive Bayes": mercer.NaiveBayes(),
    "linear regression": mercer.LinearRegression(),
    "logistic regression": mercer.LogisticRegression(),
    "kernel ridge": mercer.KernelRidge(approximation="nystroem", rank=15),
    "neighbours": mercer.KNeighborsClassifier(),
    "tree": mercer.DecisionTreeClassifier(max_depth=4),
    "forest": mercer.RandomForestClassifier(3, random_state=0, max_depth=4),
    "boosting": mercer.HistGradientBoostingClassifier(max_iter=3, random_state=0),
    "linear machine": mercer.LinearSVC(loss="hinge"),
    "machine on landmarks": mercer.SVC(approximation="nystroem", rank=15),
}


def target_of(model):
    return "age" if is_regressor(model) else "y"


every_model = pytest.mark.parametrize("model", MODELS.values(), ids=MODELS.keys())


@pytest.fixture(autouse=True)
def large(monkeypatch):
    """Rows that fit nowhere: nothing is kept from pass to pass, bins stay with their chunks, machines are solved by
    passes."""
    monkeypatch.setattr(memory, "BUDGET", 0)
    monkeypatch.setattr(boosting, "SENT", 0)
    monkeypatch.setattr(boosting, "budget", lambda: 0)
    monkeypatch.setattr(apart, "SMALL", 400)
    monkeypatch.setattr(planes, "_AT_ONCE", 0)


@pytest.fixture
def files(tmp_path):
    for k, part in enumerate(cut(ROWS, [150, 300, 450])):
        pl.from_pandas(part).write_parquet(tmp_path / f"part-{k}.parquet")
    return str(tmp_path / "*.parquet")


def once(act):
    """Progress that acts when the learner is first told of, and what it did."""
    done = []

    def progress(what, share):
        if what == "Learning" and not done:
            done.append(act())

    return progress, done


@every_model
def test_a_file_that_changes_while_a_learner_reads_it_is_named(files, tmp_path, model):
    progress, done = once(lambda: pl.from_pandas(ROWS.head(40)).write_parquet(tmp_path / "part-1.parquet"))
    with pytest.raises(BadFile, match=r"part-1\.parquet has changed since it was first read"):
        mercer.scale.fit(clone(model), files, target_of(model), progress=progress)
    assert done


@every_model
def test_a_level_of_one_chunk_alone_is_known_to_all(model):
    rows = ROWS.assign(job=ROWS.job.where(ROWS.index < 560, "pilot"))
    found = mercer.scale.fit(clone(model), cut(rows, [200, 550]), target_of(model))
    assert "pilot" in found.schema_["job"].levels
    expect_same(found, mercer.scale.fit(clone(model), [rows], target_of(model)), rtol=1e-4)


def kill_one(client):
    os.kill(min(client.run(os.getpid).values()), signal.SIGKILL)


@pytest.fixture(scope="module")
def client():
    with local_cluster() as cluster, Client(cluster, set_as_default=False) as client:
        yield client


@every_model
def test_a_worker_that_is_killed_changes_nothing(client, files, model):
    progress, done = once(lambda: kill_one(client))
    found = mercer.scale.fit(clone(model), files, target_of(model), client=client, progress=progress)
    assert done
    expect_same(found, mercer.scale.fit(clone(model), files, target_of(model)), rtol=0)


@pytest.fixture
def own_client():
    """A cluster of its own: where workers were killed or restarted before, Dask may restart with none at all."""
    with local_cluster() as cluster, Client(cluster, set_as_default=False) as client:
        yield client


def kill_all(client):
    for pid in client.run(os.getpid).values():
        os.kill(pid, signal.SIGKILL)


@pytest.mark.parametrize(("name", "when"), [("naive Bayes", 0.25), ("boosting", 1 / 3)])
def test_workers_that_are_all_killed_at_once_change_nothing(own_client, files, name, when):
    model, killed = MODELS[name], []

    def progress(what, share):
        if what == "Learning" and share == when and not killed:
            killed.append(True)
            kill_all(own_client)

    found = mercer.scale.fit(clone(model), files, "y", client=own_client, progress=progress)
    assert killed
    expect_same(found, mercer.scale.fit(clone(model), files, "y"), rtol=0)


@pytest.mark.parametrize("name", ["naive Bayes", "logistic regression", "forest", "boosting", "linear machine"])
def test_a_scheduler_that_restarts_is_told(own_client, files, name):
    model, client = MODELS[name], own_client
    progress, done = once(client.restart)
    with pytest.raises(ClusterLost, match="connect again and start again"):
        mercer.scale.fit(clone(model), files, "y", client=client, progress=progress)
    assert done
    expect_same(
        mercer.scale.fit(clone(model), files, "y", client=client), mercer.scale.fit(clone(model), files, "y"), rtol=0
    )
