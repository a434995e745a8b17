"""Which model is kept."""

from dataclasses import replace

import pytest

import mercer
from mercer.errors import MercerError
from mercer.estimators.registry import LEARNERS
from mercer.evaluation.intervals import Score
from mercer.evaluation.run.records import Entry, FoldResult, Run
from mercer.evaluation.selection.preference import checked_preference, preferred, simpler_tie


def ran(key, behind=None, seconds=1.0, half=0.02):
    """A run over five folds, so far behind the best; half of the interval is 2.78 standard errors."""
    learner = next(one for one in LEARNERS if one.key == key)
    gap = None if behind is None else Score(behind, behind - half, behind + half)
    folds = tuple(FoldResult(None, None, {}, {}) for _ in range(5))
    return Run(learner, Entry.of(learner, behind=gap, predict_seconds=seconds), folds=folds)


FIRST, NEAR = ran("svm", seconds=9.0), ran("boosting", 0.001, 1.1)
TREE, FAR = ran("tree", 0.006, 1.0), ran("linear", 0.01)


def test_the_simplest_and_the_fastest_within_one_standard_error():
    ranked = [FIRST, NEAR, TREE, FAR]
    assert preferred(ranked, "accurate", 0.95) is FIRST
    assert preferred(ranked, "simple", 0.95) is TREE
    assert preferred(ranked, "fast", 0.95) is NEAR  # the tree is no faster than clocks can tell
    assert preferred([FIRST, FAR], "simple", 0.95) is FIRST
    assert simpler_tie(ranked, FIRST, 0.95) == "tree"
    assert simpler_tie(ranked, ran("baseline"), 0.95) is None
    failed = replace(TREE, entry=replace(TREE.entry, error="no"))
    assert preferred([FIRST, failed], "simple", 0.95) is FIRST


def test_a_simpler_learner_is_offered_wherever_the_interval_holds_no_difference():
    """FAR is behind by 1.4 standard errors, whose interval is from -.01 to .03."""
    assert simpler_tie([FIRST, FAR], FIRST, 0.95) == "linear"
    assert simpler_tie([FIRST, NEAR, TREE, FAR], TREE, 0.95) == "linear"
    baseline, apart = ran("baseline", 0.019), ran("naive_bayes", 0.03)
    assert simpler_tie([FIRST, FAR, baseline], FIRST, 0.95) == "linear"  # of two that tie, the one that costs less
    assert simpler_tie([FIRST, apart, baseline], FIRST, 0.95) == "baseline"
    assert simpler_tie([FIRST, apart], FIRST, 0.95) is None
    equal = ran("baseline", 1e-17, half=0.0)  # a tree without a split predicts what the baseline does
    assert simpler_tie([TREE, equal, FAR], TREE, 0.95) == "baseline"
    failed = replace(FAR, entry=replace(FAR.entry, error="no"))
    assert simpler_tie([FIRST, failed], FIRST, 0.95) is None


def test_an_ensemble_of_a_library_is_kept_within_one_standard_error():
    mean, far = (replace(run, members=((FIRST, 0.5), (TREE, 0.5))) for run in (NEAR, FAR))
    assert preferred([FIRST, mean], "accurate", 0.95, from_library=True) is mean
    assert preferred([FIRST, mean], "accurate", 0.95) is FIRST
    assert preferred([FIRST, far], "accurate", 0.95, from_library=True) is FIRST
    assert preferred([FIRST, mean], "simple", 0.95, from_library=True) is FIRST


def test_an_unknown_preference_is_refused():
    with pytest.raises(MercerError, match=r"prefer = 'acurate': there is no such preference\. Did you mean 'accurate'"):
        checked_preference("acurate")


def test_the_simple_model_is_kept_and_said_so(tmp_path):
    rows = {"a": [float(i % 17) for i in range(200)], "b": [float(i % 5) for i in range(200)]}
    rows["y"] = [2 * a + b for a, b in zip(rows["a"], rows["b"], strict=True)]
    given = {"learners": ["linear", "tree", "ensemble"], "task": "regression", "quick": True}
    result = mercer.train(rows, "y", prefer="simple", **given)
    assert result.best.key == "linear"
    assert result.comparison.preference == "simple"
    noise = [float((i * 7919) % 101) for i in range(200)]
    given["learners"] = ["tree", "linear", "baseline"]
    again = mercer.train({**rows, "y": noise}, "y", prefer="simple", **given)
    assert again.best.key == "baseline"
    page = again.report(tmp_path / "r.html").read_text()
    if again.leaderboard[0]["key"] != "baseline":
        assert "Baseline is kept, the simplest model within one standard error of the best (prefer simple)." in page
        assert "Kept: Baseline, the simplest model within one standard error of" in repr(again)
