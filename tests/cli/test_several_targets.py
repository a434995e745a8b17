"""mercer train with --target given twice, and what the other verbs do with its model."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

FAST = ("--quick", "--learner", "naive_bayes", "--learner", "baseline")
BOTH = ("--target", "wild", "--target", "weight")


@pytest.fixture
def plants(flowers: Path) -> Path:
    """The flowers with a number to predict beside the class."""
    head, *rows = flowers.read_text().splitlines()
    weighed = [f"{row},{i * 1.37 % 11 + i / 7:.3f}" for i, row in enumerate(rows)]
    flowers.write_text("\n".join([f"{head},weight", *weighed]) + "\n")
    return flowers


def test_train_predict_evaluate_and_explain(mercer_in: Callable[..., Any], plants: Path, tmp_path: Path) -> None:
    done = mercer_in("train", plants, *BOTH, *FAST)
    assert done.exit_code == 0, done.output
    assert "classification: wild" in done.output and "regression: weight" in done.output
    model, folder = tmp_path / "mercer-out" / "model.mercer", tmp_path / "mercer-out"

    done = mercer_in("predict", model, plants)
    assert done.exit_code == 0 and "known 'wild'" in done.output and "known 'weight'" in done.output
    assert "ignored" not in done.output
    header = (tmp_path / "predictions.csv").read_text().splitlines()[0]
    assert header == "row,plant_id,prediction_wild,probability_wild_no,probability_wild_yes,prediction_weight,flags"

    done = mercer_in("evaluate", model, plants, "--json")
    assert set(json.loads(done.stdout)["targets"]) == {"wild", "weight"}
    done = mercer_in("evaluate", model, plants, "--target", "weight", "--out", "found.html")
    assert "R²" in done.output and "ROC AUC" not in done.output
    assert "<h2>weight" in (tmp_path / "found.html").read_text()
    done = mercer_in("evaluate", model, plants, "--target", "colour")
    assert done.exit_code != 0 and "The model predicts 'wild', 'weight'" in done.output

    done = mercer_in("explain", model, plants, "--row", 2, "--above", 100)
    assert done.exit_code == 0, done.output
    assert "Row 2, wild: " in done.output and "Row 2, weight" in done.output
    done = mercer_in("explain", model, plants, "--target", "weight", "--json")
    assert len(json.loads(done.stdout)["rows"]) == 1

    assert mercer_in("report", folder).exit_code == 0
    for words in (("compare", folder, folder), ("compare", model, model, plants)):
        done = mercer_in(*words)
        assert done.exit_code != 0 and "several targets" in done.output and "Traceback" not in done.output


def test_a_table_with_one_of_the_targets_is_scored_on_that(mercer_in: Callable[..., Any], plants: Path) -> None:
    assert mercer_in("train", plants, *BOTH, *FAST).exit_code == 0
    rows = [",".join(line.split(",")[i] for i in (0, 1, 2, 4)) for line in plants.read_text().splitlines()]
    plants.write_text("\n".join(rows) + "\n")  # without wild
    done = mercer_in("evaluate", "mercer-out/model.mercer", plants)
    assert "no column 'wild': that target is not scored" in done.output and "R²" in done.output


def test_bad_input_leaves_nothing_behind(mercer_in: Callable[..., Any], plants: Path, tmp_path: Path) -> None:
    for words in (("--target", "wild", "--target", "weights"), (*BOTH, "--cost", "fn=2,fp=1"), (*BOTH, *BOTH)):
        done = mercer_in("train", plants, *words)
        assert done.exit_code != 0 and "Error" in done.output and "Traceback" not in done.output
        assert not (tmp_path / "mercer-out").exists()
