"""Several targets through the whole job: trained, written, opened, predicted, scored and explained."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.clients.people import X, Y

import mercer
from mercer.errors import BadColumn, BadTarget, MercerError
from mercer.store import open_model
from mercer.store.model import save_parts
from mercer.workbench.training.results import TrainResults
from mercer.workbench.training.run_folder import render_run

ROWS = X.assign(well=Y, amount=np.nan_to_num(X["age"], nan=40.0) * 2 + X["pay"])
FAST: dict[str, Any] = {"learners": ["naive_bayes", "linear", "baseline"], "quick": True}


@pytest.fixture(scope="module")
def found() -> TrainResults:
    result = mercer.train(ROWS, ["well", "amount"], **FAST)
    assert isinstance(result, TrainResults)
    return result


@pytest.fixture(scope="module")
def folder(found: TrainResults, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return found.write(tmp_path_factory.mktemp("run") / "out")


def test_each_target_has_a_result_of_its_own_and_sees_no_other(found: TrainResults) -> None:
    assert list(found) == ["well", "amount"] and len(found) == 2
    assert [str(one.comparison.task) for one in found.values()] == ["classification", "regression"]
    for one in found.values():
        assert not {"well", "amount"} & {c.name for c in one.comparison.columns}
    alone = mercer.train(ROWS, "well", drop="amount", **FAST)
    np.testing.assert_array_equal(found["well"].predict_proba(ROWS), alone.predict_proba(ROWS))
    assert found["well"].leaderboard[0]["learner"] in repr(found) and "<table>" in found._repr_html_()


def test_predictions_stand_side_by_side(found: TrainResults, folder: Path) -> None:
    both = found.predict(ROWS)
    assert both.shape == (len(ROWS), 2) and both.dtype == object
    np.testing.assert_array_equal(both[:, 0], found["well"].predict(ROWS))
    np.testing.assert_array_equal(both[:, 1].astype(float), found["amount"].predict(ROWS))
    loaded = mercer.load(folder / "model.mercer")
    np.testing.assert_array_equal(loaded.predict(X), both)
    shares, none = loaded.predict_proba(X)
    assert none is None and shares.shape == (len(X), 2)


def test_the_file_predicts_and_scores_every_target(folder: Path) -> None:
    found = mercer.predict(folder / "model.mercer", ROWS, keep="job")
    columns = ["prediction_well", "probability_well_no", "probability_well_yes", "prediction_amount"]
    assert [c for c in found.frame.columns if c.startswith("pr")] == columns and "job" in found.frame.columns
    assert found.targets["well"].evaluation is not None and found.targets["amount"].evaluation is not None
    assert set(found.to_dict()["targets"]["amount"]["evaluation"]["scores"]) >= {"r2"}
    assert not mercer.predict(folder / "model.mercer", X).targets["well"].evaluation
    assert len(open_model(folder / "model.mercer").outputs) == 2


def test_one_target_of_a_file(folder: Path) -> None:
    stored = open_model(folder / "model.mercer")
    one = stored.output("amount")
    assert one.card.target == "amount" and one.card.task == "regression"
    assert mercer.evaluate(one, ROWS[[*X.columns, "amount"]])["r2"].value > 0.9
    assert len(mercer.explain(one, X, 0)) == 1
    for job in (mercer.explain, mercer.evaluate):
        with pytest.raises(MercerError, match=r"several targets \(well, amount\). Take one: .*output\('well'\)"):
            job(folder / "model.mercer", ROWS)
    with pytest.raises(BadColumn, match="Did you mean 'amount'"):
        stored.output("amonut")


def test_the_page_has_a_part_for_each_and_no_name_twice(folder: Path) -> None:
    page = (folder / "report.html").read_text()
    assert 'href="#target-1"' in page and 'id="target-2"' in page and page.count("<main>") == 1
    names = re.findall(r'\bid="([^"]+)"', page)
    assert len(names) == len(set(names)) and "target-1-leaderboard" in names
    assert set(re.findall(r'href="#([^"]+)"', page)) <= set(names)
    result = json.loads((folder / "result.json").read_text())
    assert result["format"] == "mercer results 1"
    assert [one["target"]["name"] for one in result["targets"]] == ["well", "amount"]
    assert "['well', 'amount']" in result["command"]
    assert render_run(folder) == page


def test_a_metric_and_learners_go_to_the_targets_that_have_them() -> None:
    found = mercer.train(
        ROWS, ["well", "amount"], metric="mae", learners=["local", "naive_bayes", "linear"], quick=True
    )
    assert [one.comparison.metric.key for one in found.values()] == ["roc_auc", "mae"]
    assert "local" in {e.key for e in found["amount"].comparison.leaderboard}


def test_a_budget_is_shared_out() -> None:
    found = mercer.train(ROWS, ["well", "amount"], time=20, **FAST)
    assert sum(one.comparison.seconds for one in found.values()) < 20


def test_notices_tell_the_share_of_a_target_and_the_whole_budget() -> None:
    found = mercer.train(ROWS, ["well", "amount"], time=0.05, quick=True)
    for one in found.values():
        late = [said for said in one.comparison.notices if "not run" in said]
        assert late
        assert all(re.search(r"share of \S+ s in the time budget of 0\.05 s", said) for said in late)


@pytest.mark.parametrize(
    ("target", "options", "said"),
    [
        (["well", "wall"], {}, "no column 'wall'. Did you mean 'well'"),
        (["well", "well"], {}, "named twice"),
        (["well", "amount"], {"cost": "fn=2,fp=1"}, "cost is about one target"),
        (["well", "amount"], {"threshold": 0.3}, "threshold is about one target"),
        (["well", "amount"], {"learners": ["forrest"]}, "forrest"),
        (["well", "amount"], {"metric": "aucc"}, "aucc"),
        (list(ROWS.columns), {}, "No column is left"),
    ],
)
def test_bad_input(target: list[str], options: dict[str, Any], said: str) -> None:
    with pytest.raises(MercerError, match=said):
        mercer.train(ROWS, target, **options)


def test_a_list_of_labels_is_still_a_target() -> None:
    found = mercer.train(X, Y.tolist(), learners="baseline", quick=True)
    assert found.comparison.target.classes == ["no", "yes"]
    with pytest.raises(BadTarget, match="to be predicted"):
        mercer.train(X, None)


def test_a_file_of_parts_needs_different_targets(found: TrainResults, tmp_path: Path) -> None:
    one = found["well"].stored()
    with pytest.raises(MercerError, match="each of another target"):
        save_parts([one, one], tmp_path / "m.mercer")
    assert not list(tmp_path.iterdir())
