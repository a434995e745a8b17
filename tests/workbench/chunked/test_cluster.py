"""`mercer train --scheduler`: the same result on a cluster of two processes, and clear errors where there is none."""

import subprocess
import sys

import polars as pl
import pytest
from distributed import Client
from tests.scale.cluster import local_cluster
from tests.scale.rows import cut, expect_same, people

import mercer
from mercer.errors import ClusterLost, MercerError
from mercer.scale import context, whole

pytestmark = pytest.mark.filterwarnings("default")  # those of other libraries are not ours to fail on
ROWS = people(1500)
LEARNERS = ["naive_bayes", "linear", "baseline"]


@pytest.fixture(scope="module")
def cluster():
    with local_cluster() as found:
        yield found


@pytest.fixture
def pattern(tmp_path):
    for k, part in enumerate(cut(ROWS, [500, 1000])):
        pl.from_pandas(part).write_parquet(tmp_path / f"{k}.parquet")
    return str(tmp_path / "*.parquet")


def test_a_cluster_gives_the_result_of_one_process(cluster, pattern, monkeypatch):
    there = mercer.train(pattern, "y", learners=LEARNERS, scheduler=cluster.scheduler_address)
    with Client(cluster) as client:
        by_client = mercer.train(pattern, "y", learners=LEARNERS, scheduler=client)
    monkeypatch.setattr(whole, "physical_memory", lambda: 0)
    here = mercer.train(pattern, "y", learners=LEARNERS)
    for found in (there, by_client):
        assert [e.held_out for e in found.comparison.leaderboard] == [e.held_out for e in here.comparison.leaderboard]
        expect_same(found.comparison.best_model, here.comparison.best_model, rtol=0)
    assert f"--scheduler {cluster.scheduler_address}" in there.comparison.command


def test_the_terminal_names_a_scheduler(cluster, pattern, tmp_path):
    words = ["train", pattern, "--target", "y", "--learner", "naive_bayes", "--out", str(tmp_path / "run")]
    done = subprocess.run(
        [sys.executable, "-m", "mercer", *words, "--scheduler", cluster.scheduler_address],
        capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "1,500 rows" in done.stdout
    assert "validation rows" in done.stdout
    assert mercer.load(tmp_path / "run" / "model.mercer").predict(ROWS).shape == (1500,)


def test_no_scheduler_and_no_worker(pattern, monkeypatch):
    monkeypatch.setattr(context, "PATIENCE", 1.0)
    with pytest.raises(MercerError, match=r"No Dask scheduler answers at 127\.0\.0\.1:9 .* Start one"):
        mercer.train(pattern, "y", scheduler="127.0.0.1:9")
    with local_cluster(0) as empty, pytest.raises(MercerError, match=r"has no workers\. Start some: dask worker"):
        mercer.train(pattern, "y", scheduler=empty.scheduler_address)


def test_dask_is_asked_for_by_name(pattern, monkeypatch):
    def missing(name):
        raise ImportError(name)

    monkeypatch.setattr(context, "import_module", missing)
    with pytest.raises(MercerError, match=r"pip install 'mercer\[scale\]'"):
        mercer.train(pattern, "y", scheduler="127.0.0.1:9")


def test_a_scheduler_that_goes_away_ends_the_run_with_nothing_written(pattern, tmp_path):
    gone = local_cluster(1)
    address, seen = gone.scheduler_address, []

    def progress(what, share):
        seen.append(what)
        if what.startswith("Naive Bayes: pass 1") and gone.status.name == "running":
            gone.close(timeout=5)

    with pytest.raises(ClusterLost, match=r"The cluster was lost while it worked .* connect again and start again"):
        mercer.train(pattern, "y", learners=LEARNERS, scheduler=address, progress=progress)
    assert "Naive Bayes: pass 1" in seen


def test_a_scheduler_that_restarts_in_the_middle_of_a_fit_is_told(pattern):
    done = []

    with local_cluster(1) as own, Client(own, set_as_default=False) as client:

        def progress(what, share):
            if what == "Learning" and not done:
                done.append(client.restart())

        with pytest.raises(ClusterLost, match="connect again and start again"):
            mercer.scale.fit(mercer.LogisticRegression(), pattern, "y", client=client, progress=progress)
        again = mercer.scale.fit(mercer.NaiveBayes(), pattern, "y", client=client)
    expect_same(again, mercer.NaiveBayes().fit(ROWS.drop(columns="y"), ROWS.y))


def test_a_corrupt_file_stops_the_run_of_the_terminal_with_nothing_written(cluster, pattern, tmp_path):
    (tmp_path / "1.parquet").write_bytes(b"PAR1 cut short")
    words = ["train", pattern, "--target", "y", "--out", str(tmp_path / "run")]
    for where in ([], ["--scheduler", cluster.scheduler_address]):
        done = subprocess.run(
            [sys.executable, "-m", "mercer", *words, *where], capture_output=True, text=True, timeout=300, check=False
        )
        assert done.returncode == 2
        assert "1.parquet cannot be read" in done.stderr
        assert "Traceback" not in done.stderr
        assert not (tmp_path / "run").exists()
