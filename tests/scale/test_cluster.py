"""The same on a Dask cluster of two processes: the same bits as in this process, and clear errors."""

import os
import signal
from pathlib import Path

import dask.dataframe as dd
import numpy as np
import pytest
from distributed import Client
from sklearn.base import clone

import mercer
from mercer._core.memory import physical_memory
from mercer.encode import ZScore, dense_recipe
from mercer.errors import BadFile, BadTarget
from mercer.scale import engine
from mercer.scale.chunks import FrameChunk
from mercer.scale.engine import Dask
from mercer.scale.learners.tree import boosting
from mercer.scale.memory import process_memory
from mercer.solvers.tree import apart
from mercer.table.formats.dialect import Options
from tests.scale.cluster import local_cluster
from tests.scale.rows import ROWS, cut, expect_same

pytestmark = pytest.mark.filterwarnings("default")  # those of other libraries are not ours to fail on


@pytest.fixture(scope="module")
def client():
    with local_cluster() as cluster, Client(cluster) as client:
        yield client


def test_a_worker_goes_by_its_own_limit(client):
    limits = {worker["memory_limit"] for worker in client.scheduler_info()["workers"].values()}
    assert {client.submit(process_memory).result()} == limits
    assert process_memory() == physical_memory() > max(limits)


def test_a_cluster_gives_the_bits_of_one_process(client):
    frame = dd.from_pandas(ROWS, npartitions=5)
    with mercer.scale.on(client):
        by_name = mercer.NaiveBayes().fit(frame, "y")
        beside = mercer.NaiveBayes().fit(frame.drop(columns="y"), frame["y"])
    with mercer.scale.on():
        here = mercer.NaiveBayes().fit(frame, "y")
    expect_same(by_name, here, rtol=0)
    expect_same(beside, here, rtol=0)
    expect_same(here, mercer.NaiveBayes().fit(ROWS.drop(columns="y"), ROWS.y))


def test_a_cluster_scores_as_one_process(client):
    model = mercer.NaiveBayes().fit(ROWS.drop(columns="y"), ROWS.y)
    there = mercer.scale.score(model, dd.from_pandas(ROWS, npartitions=5), "y", client=client)
    here = mercer.scale.score(model, dd.from_pandas(ROWS, npartitions=5), "y")
    assert (there.roc_auc, there.log_loss, there.brier) == (here.roc_auc, here.log_loss, here.brier)
    np.testing.assert_array_equal(there.confusion_matrix, here.confusion_matrix)


def test_outside_the_block_fit_is_as_ever(client):
    with mercer.scale.on(client):
        inside = mercer.NaiveBayes().fit(ROWS.drop(columns="y"), ROWS.y)
    expect_same(inside, mercer.NaiveBayes().fit(ROWS.drop(columns="y"), ROWS.y), rtol=0)
    assert not hasattr(mercer.NaiveBayes.fit, "__wrapped__")


def test_y_beside_a_dask_frame_is_a_name_or_a_series(client):
    frame = dd.from_pandas(ROWS, npartitions=2)
    with mercer.scale.on(client), pytest.raises(BadTarget, match="a column's name or a Dask series"):
        mercer.NaiveBayes().fit(frame.drop(columns="y"), ROWS.y)
    with mercer.scale.on(client), pytest.raises(BadTarget, match="X has 2 partitions, but y has 3"):
        mercer.NaiveBayes().fit(frame.drop(columns="y"), dd.from_pandas(ROWS, npartitions=3)["y"])


def test_a_corrupt_file_among_many_is_named(client, tmp_path):
    for k, part in enumerate(cut(ROWS, [100, 200, 300])):
        part.to_csv(tmp_path / f"{k}.csv", index=False)
    chunks = mercer.scale.as_chunks(str(tmp_path / "*.csv"))
    (tmp_path / "2.csv").write_text("no table")
    with pytest.raises(BadFile, match=r"2\.csv has changed since it was first read"):
        mercer.scale.fit(mercer.NaiveBayes(), chunks, "y", client=client)


class EndOnce:
    """Ends the worker that reads the second chunk, but once."""

    def __init__(self, folder, frame, ends):
        self.name, self.folder, self.frame, self.ends = "a chunk", folder, frame, ends

    def read(self, options):
        mark = Path(self.folder) / "ended"
        if self.ends and not mark.exists():
            mark.write_text("once")
            os.kill(os.getpid(), signal.SIGKILL)
        return self.frame


def test_a_worker_that_is_killed_in_the_middle_changes_nothing(client, tmp_path):
    parts = [EndOnce(tmp_path, part, k == 1) for k, part in enumerate(cut(ROWS, [100, 300, 500]))]
    chunks = mercer.scale.Chunks(lambda: parts, parts=parts)
    model = mercer.scale.fit(mercer.NaiveBayes(), chunks, "y", client=client)
    assert (tmp_path / "ended").exists()
    expect_same(model, mercer.scale.fit(mercer.NaiveBayes(), cut(ROWS, [100, 300, 500]), "y"), rtol=0)


def test_progress_is_told(client):
    told = []
    mercer.scale.fit(
        mercer.MajorityClass(), cut(ROWS, [300]), "y", client=client, progress=lambda *now: told.append(now)
    )
    assert told[-1] == ("Looking at the columns", 1.0)
    assert np.all(np.diff([share for _, share in told]) > 0)


def test_boosted_trees_on_a_cluster_are_those_of_one_fit(client, tmp_path):
    model = mercer.HistGradientBoostingClassifier(max_iter=3, random_state=0)
    whole = mercer.HistGradientBoostingClassifier(**model.get_params()).fit(ROWS.drop(columns="y"), ROWS.y)
    parts = [EndOnce(tmp_path, part, k == 1) for k, part in enumerate(cut(ROWS, [50, 100, 300, 500]))]
    chunks = mercer.scale.Chunks(lambda: parts, parts=parts)
    expect_same(mercer.scale.fit(model, chunks, "y", client=client), whole, rtol=0)
    assert (tmp_path / "ended").exists()


def expect_same_trees(model, whole):
    for name, values in model.forest_.arrays().items():
        np.testing.assert_array_equal(values, getattr(whole.forest_, name), err_msg=name)


def test_bins_that_stay_on_the_workers_give_the_trees_of_one_fit(client, monkeypatch):
    monkeypatch.setattr(boosting, "SENT", 0)
    model = mercer.HistGradientBoostingClassifier(max_iter=4, random_state=0, early_stopping=True, subsample=0.8)
    whole = clone(model).fit(ROWS.drop(columns="y"), ROWS.y)
    with mercer.scale.on(client):
        there = clone(model).fit(dd.from_pandas(ROWS, npartitions=5), "y")
    expect_same_trees(there, whole)
    with_empty = mercer.scale.fit(clone(model), [*cut(ROWS, [0, 200]), ROWS.head(0)], "y", client=client)
    expect_same_trees(with_empty, whole)


def test_answers_of_many_workers_merge_on_the_workers(client, monkeypatch):
    monkeypatch.setattr(boosting, "SENT", 0)
    model = mercer.HistGradientBoostingClassifier(max_iter=3, random_state=0, early_stopping=True)
    here = mercer.scale.fit(clone(model), cut(ROWS, [200, 300]), "y", client=client)
    monkeypatch.setattr(engine, "_FEW", 1)
    expect_same(mercer.scale.fit(clone(model), cut(ROWS, [200, 300]), "y", client=client), here, rtol=0)


@pytest.mark.parametrize("when", [0.25, 0.75])
def test_bins_of_a_worker_that_is_killed_between_rounds_are_made_again(client, monkeypatch, when):
    monkeypatch.setattr(boosting, "SENT", 0)
    model = mercer.HistGradientBoostingClassifier(max_iter=4, random_state=0, class_weight="balanced")
    whole = clone(model).fit(ROWS.drop(columns="y"), ROWS.y)
    killed = []

    def progress(what, share):
        if what == "Learning" and share == when and not killed:
            killed.append(min(client.run(os.getpid).values()))
            os.kill(killed[0], signal.SIGKILL)

    chunks = [ROWS.iloc[k : k + 100] for k in range(0, 600, 100)]
    found = mercer.scale.fit(model, chunks, "y", client=client, progress=progress)
    assert killed
    expect_same_trees(found, whole)


TREES = [mercer.DecisionTreeClassifier(max_depth=5), mercer.RandomForestClassifier(3, random_state=0)]


@pytest.mark.parametrize("model", TREES, ids=["tree", "forest"])
def test_trees_on_a_cluster_are_those_of_one_process(client, monkeypatch, model):
    monkeypatch.setattr(apart, "SMALL", 400)
    with mercer.scale.on(client):
        there = clone(model).fit(dd.from_pandas(ROWS, npartitions=5), "y")
    expect_same(there, mercer.scale.fit(clone(model), [*cut(ROWS, [0, 200]), ROWS.head(0)], "y"), rtol=0)


def test_a_worker_that_is_killed_between_trees_changes_nothing(client, monkeypatch):
    monkeypatch.setattr(apart, "SMALL", 400)
    killed = []

    def progress(what, share):
        if what == "Learning" and share == 1 / 3 and not killed:
            killed.append(min(client.run(os.getpid).values()))
            os.kill(killed[0], signal.SIGKILL)

    chunks = [ROWS.iloc[k : k + 100] for k in range(0, 600, 100)]
    found = mercer.scale.fit(clone(TREES[1]), chunks, "y", client=client, progress=progress)
    assert killed
    expect_same(found, mercer.scale.fit(clone(TREES[1]), [ROWS], "y"), rtol=0)


class Gone:
    """A chunk that cannot be read."""

    name = "the third part"

    def read(self, options):
        raise OSError("it is gone")


class Length:
    """Rows of a chunk."""

    options = Options()

    def __call__(self, place, chunk, load):
        return len(load())


def test_a_chunk_that_cannot_be_held_is_named(client):
    parts = [FrameChunk("a part", ROWS), FrameChunk("a part", ROWS), Gone()]
    chunks = mercer.scale.Chunks(lambda: parts, parts=parts)
    with pytest.raises(BadFile, match="the third part cannot be read: it is gone"):
        Dask(client).hold(chunks, lambda k: Length())


@pytest.mark.parametrize(
    "model",
    [
        mercer.LinearSVC(loss="hinge"),
        mercer.SVC(approximation="nystroem", rank=20),
        mercer.KNeighborsClassifier(),
    ],
)
def test_machines_and_neighbours_on_a_cluster_have_the_bits_of_one_process(client, model):
    frame = dd.from_pandas(ROWS, npartitions=4)
    with mercer.scale.on(client):
        there = clone(model).fit(frame, "y")
    with mercer.scale.on():
        here = clone(model).fit(frame, "y")
    expect_same(there, here, rtol=0)
    assert not hasattr(type(model).fit, "__wrapped__")


def test_a_cluster_finds_the_neighbours_of_one_process(client):
    rows, model = ROWS[["age", "pay", "y"]], mercer.KNeighborsClassifier(metric="manhattan")
    frame, asked = dd.from_pandas(rows, npartitions=4), rows.drop(columns="y").head(30)
    there = mercer.scale.nearest(model, frame, "y", asked, client=client)
    here = mercer.scale.nearest(model, frame, "y", asked)
    np.testing.assert_array_equal(there.rows, here.rows)
    np.testing.assert_array_equal(there.distances, here.distances)
    np.testing.assert_array_equal(there.probabilities, here.probabilities)


def test_encoders_take_dask_frames_without_a_target(client):
    frame = dd.from_pandas(ROWS.drop(columns="y"), npartitions=5)
    with mercer.scale.on(client):
        there = dense_recipe().fit(frame)
        plain = ZScore().fit(ROWS[["age"]])
    expect_same(there, mercer.scale.fit(dense_recipe(), frame), rtol=0)
    expect_same(there, dense_recipe().fit(ROWS.drop(columns="y")))
    expect_same(plain, ZScore().fit(ROWS[["age"]]), rtol=0)
