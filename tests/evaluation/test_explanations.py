"""What is told of each learner: against the data, against scikit-learn, and by counting again."""

import operator
import re
from dataclasses import replace

import numpy as np
import pytest
from sklearn.svm import SVR as PlainSVR
from tests.evaluation.test_comparison import mixed

import mercer
from mercer.estimators import registry
from mercer.estimators.common.explanations.model_explanation import FittedLearner
from mercer.estimators.registry import LEARNERS, learners
from mercer.estimators.svm.model_explanation import explain_svm, tuning_grid
from mercer.evaluation.comparison import compare_learners, prepare
from mercer.evaluation.options import ComparisonOptions
from mercer.kernels import RBF, Lin, Overlap, Polynomial
from mercer.kernels.formula import kernel_formula
from mercer.table import Task, open_source


def rows_of(target):
    """The complete rows of the comparison's table."""
    data = mixed(target="binary" if target == "two" else target)
    known = [i for i, age in enumerate(data["age"]) if age is not None]
    return {name: [data[name][i] for i in known] for name in ("age", "job", "y")}


def comparison_of(data, *learners, **options):
    settings = ComparisonOptions(**{"repeats": 1, "folds": 2, "learners": learners or None, **options})
    return compare_learners(prepare(open_source(data), "y", settings), lambda what, share: None)


@pytest.fixture(scope="module")
def comparisons():
    return {target: comparison_of(rows_of(target)) for target in ("two", "several", "number")}


def explanation(comparison, key):
    return next(e for e in comparison.explanations if e.key == key)


def test_every_learner_that_train_runs_is_explained():
    for task in Task:
        assert all(learner.model(task).explain is not None for learner in learners(task))


@pytest.mark.parametrize("target", ["two", "several", "number"])
def test_every_learner_is_explained_and_only_the_best_in_full(comparisons, target):
    found = comparisons[target]
    assert [a.key for a in found.explanations] == [e.key for e in found.leaderboard]
    assert [a.error for a in found.explanations] == [None] * len(found.explanations)
    assert [a.full for a in found.explanations] == [True] + [False] * (len(found.explanations) - 1)
    assert all(a.details is not None for a in found.explanations)


def test_a_learner_that_failed_or_cannot_be_explained_does_not_stop_the_others(monkeypatch):
    def broken(fitted):
        raise ZeroDivisionError("no way to say it")

    tree, baseline = (one for one in LEARNERS if one.key in ("tree", "baseline"))
    tree = replace(tree, classification=replace(tree.classification, explain=broken))
    monkeypatch.setattr(registry, "LEARNERS", (tree, baseline))
    found = comparison_of(rows_of("two"), "tree", "baseline")
    assert explanation(found, "tree").error == "ZeroDivisionError: no way to say it"
    assert explanation(found, "tree").details is None
    assert explanation(found, "baseline").details.n_classes == 2


def test_coefficients_are_those_of_the_summary_with_names_and_references():
    data = rows_of("several")
    found = comparison_of(data, "linear", "baseline")
    body = explanation(found, "linear").details
    model = mercer.LogisticRegression(scale=True).fit({"age": data["age"], "job": data["job"]}, data["y"])
    summary = model.summary()
    assert [t.title for t in body.tables] == ["low against high", "middle against high"]
    for shown, table in zip(body.tables, summary.tables.values(), strict=True):
        assert [line.name for line in shown.lines] == table.names
        np.testing.assert_allclose([line.estimate for line in shown.lines], table.estimate, rtol=1e-6)
        np.testing.assert_allclose([line.p for line in shown.lines], table.p_value, rtol=1e-4)
        assert shown.lines[0].ratio is None  # odds, not a ratio of odds
        odds = np.exp([line.step * b for line, b in zip(shown.lines, table.estimate, strict=True)])  # a step of each
        np.testing.assert_allclose([line.ratio for line in shown.lines[1:]], odds[1:], rtol=1e-6)
    references = {line.name: line.reference for line in body.tables[0].lines}
    baseline = model.baselines_["job"]
    assert references == {
        n: (baseline if n.startswith("job=") else None) for n in next(iter(summary.tables.values())).names
    }
    assert not any(note.startswith("Baselines") for note in body.notes)


def test_the_most_significant_coefficients_are_kept_in_the_order_of_the_columns():
    rng = np.random.default_rng(1)
    x = rng.normal(size=(300, 40))
    data = {f"x{j}": x[:, j].tolist() for j in range(40)}
    data["y"] = (x[:, 30] * 5 + x[:, 3] * 4 + rng.normal(size=300)).tolist()
    found = comparison_of(data, "linear", "baseline")
    table = explanation(found, "linear").details.tables[0]
    names = [line.name for line in table.lines]
    assert table.n_lines == 41
    assert names[0] == "(Intercept)"
    assert len(names) == 25
    assert names.index("x3") < names.index("x30")
    lowest = sorted(table.lines[1:], key=lambda line: line.p)[:2]
    assert {line.name for line in lowest} == {"x3", "x30"}
    assert {line.stars for line in lowest} == {"***"}


SIGNS = {"<=": operator.le, ">": operator.gt}


def meets(data, condition):
    if found := re.fullmatch(r"(\w+) (<=|>) (\S+)", condition):
        return SIGNS[found[2]](np.array(data[found[1]]), float(found[3]))
    name, levels = re.fullmatch(r"(\w+) (?:=|in) \{?(.*?)\}?", condition).groups()
    return np.isin(data[name], levels.split(", "))


@pytest.mark.parametrize("target", ["two", "number"])
def test_rules_cover_the_rows_they_claim(target):
    data = rows_of(target)
    found = comparison_of(data, "tree", "baseline")
    body = explanation(found, "tree").details
    y, total = np.array(data["y"]), 0
    for rule in body.rules:
        inside = np.logical_and.reduce([meets(data, c) for c in rule.conditions])
        assert inside.sum() == rule.rows
        total += rule.share
        if target == "two":
            assert rule.shares[0] == (rule.answer, pytest.approx((y[inside] == rule.answer).mean()))
        else:
            assert float(rule.answer) == pytest.approx(y[inside].mean(), rel=1e-5)
    assert body.covered == pytest.approx(total)
    assert body.n_leaves >= len(body.rules)
    for k, node in enumerate(body.nodes):
        below = [n.rows for n in body.nodes if n.parent == k]
        assert not below or sum(below) == pytest.approx(node.rows)
    assert max(n.depth for n in body.nodes) == body.shown_depth


def test_neighbours_are_rows_of_the_table_with_their_distances():
    data = rows_of("two")
    found = comparison_of(data, "neighbours", "baseline")
    body = explanation(found, "neighbours").details
    age, job = np.array(data["age"]), np.array(data["job"])
    assert len(body.examples) == 3
    for example in body.examples:
        i = example.row - 1
        assert example.truth == data["y"][i]
        assert (example.predicted == example.truth) == example.why.startswith(
            "right"
        ) or example.why == "lowest confidence"
        assert sum(share for _, share in example.votes) == pytest.approx(1)
        for near in example.neighbours:
            j = near.row - 1
            assert near.target == data["y"][j]
            apart = np.array([near.distance**2 - 2 * (job[i] != job[j]), 2.0 * (job[i] != job[j])])
            width = abs(age[i] - age[j]) / np.sqrt(apart[0]) if apart[0] > 1e-12 else None
            assert width is None or width == pytest.approx(np.std(age), rel=0.1)  # of the training part
            if near.distance:
                shares = dict(zip(example.columns, near.shares, strict=True))
                assert shares.get("job", 0.0) == pytest.approx(apart[1] / near.distance**2, abs=1e-9)
    k = body.k
    scores = dict(body.curve)
    assert all(c % 2 for c in scores)
    assert scores[k] == max(scores.values())


def test_rows_drawn_from_a_long_table_keep_their_numbers(monkeypatch):
    near, baseline = (one for one in LEARNERS if one.key in ("neighbours", "baseline"))
    few = replace(near, max_rows=60)
    monkeypatch.setattr(registry, "LEARNERS", (few, baseline))
    data = rows_of("two")
    body = explanation(comparison_of(data), "neighbours").details
    assert body.rows <= 61
    for example in body.examples:
        assert [data["y"][n.row - 1] for n in example.neighbours] == [n.target for n in example.neighbours]


def test_the_support_vector_machine_says_what_it_solved(comparisons):
    for target, found in comparisons.items():
        body = explanation(found, "svm").details
        assert 0 < body.n_bounded <= body.n_support <= body.rows
        assert body.relative_gap < 0.05
        assert body.converged
        assert body.transductive is False
        assert body.calibration == (None if target == "number" else "sigmoid")
        assert (body.strategy == "ovo") == (target == "several")
        if target != "number":
            assert sum(n for _, n in body.by_class) == body.n_support


def test_a_kernel_that_saw_unlabelled_rows_is_disclosed():
    data = rows_of("two")
    model = mercer.SVC().fit({"age": data["age"], "job": data["job"]}, data["y"])
    fitted = FittedLearner(model, True, ("no", "yes"), ["age", "job"], None, None, 0.95, 0.1)
    assert not any(note.startswith("Transductive") for note in explain_svm(fitted).formula_notes)
    model.transductive_ = True
    assert explain_svm(fitted).formula_notes[-1].startswith("Transductive")


def test_bounded_support_rows_of_a_regression_as_in_scikit_learn():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(120, 2))
    y = x[:, 0] + rng.normal(0, 0.3, 120)
    ours, plain = mercer.SVR(C=2.0, gamma=0.5, tol=1e-6).fit(x, y), PlainSVR(C=2.0, gamma=0.5, tol=1e-6).fit(x, y)
    assert ours.n_bounded_ == (np.abs(plain.dual_coef_) > 2.0 - 1e-9).sum()


def test_kernels_as_formulas():
    table = mercer.read_table({"a": [1.0, 2.5, 4.0], "b": ["u", "v", "u"], "c": ["x", "x", "z"]})
    found = kernel_formula((RBF(0.25) * Overlap() + 2 * Polynomial(0.5, 1.0, 2)).fit(table))
    assert found.formula == "exp(−0.25 |a − b|²) × Overlap(a, b) + 2 · ((0.5 a · b + 1)^2)"
    assert found.notes[0].endswith("over 2 columns.")
    assert found.gamma is None  # there are two
    assert kernel_formula((RBF(0.25) + Lin()).fit(table)).gamma == 0.25


def test_the_tuning_grid_marks_the_points_that_were_chosen():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(90, 2))
    y = (x[:, 0] * x[:, 1] > 0).astype(int)
    tuned = mercer.tune(mercer.SVC(), x, y, {"C": [0.1, 1, 10], "gamma": [0.01, 0.1, 1]}, cv=3)
    found = tuning_grid(tuned)
    assert (found.costs[found.best[1]], float(found.gammas[found.best[0]])) == (
        tuned.best_params["C"], tuned.best_params["gamma"],
    )  # fmt: skip
    assert found.mean[found.best[0]][found.best[1]] == pytest.approx(tuned.best_score)
    assert found.costs[found.simplest[1]] == tuned.one_se_params["C"]
    assert found.folds == 3
    assert tuning_grid(None) is None


def test_perceptron_and_baseline(comparisons):
    body = explanation(comparisons["two"], "perceptron").details
    assert body.terms[0] == "age"
    assert body.weights[0] == [1.0]
    assert (body.classes, body.against) == (["yes"], "no")
    several = explanation(comparisons["several"], "perceptron").details
    assert set(several.classes) == {"high", "low", "middle"}
    shares = explanation(comparisons["several"], "baseline").details
    assert shares.shares == sorted(shares.shares, reverse=True)
    number = explanation(comparisons["number"], "baseline").details
    assert number.mean == pytest.approx(np.mean(rows_of("number")["y"]), abs=20)
