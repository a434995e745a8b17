"""Chapter 4 of the thesis on generated tables: in its layout, each row tested once, scores as scikit-learn has them."""

import numpy as np
import pytest
from sklearn.metrics import accuracy_score, average_precision_score, recall_score, roc_auc_score

import mercer
from mercer.encode import Bins
from mercer.gallery import Comparison, FigureTable, Picture
from mercer.gallery.yao import kdd_cup, protocol
from mercer.kernels import Lin, Overlap

ROWS = 240


def cup(rows=ROWS, seed=0):
    """In the layout of KDD Cup 2009: numbers, some nearly empty, categories, one of them empty; one row in six."""
    rng = np.random.default_rng(seed)
    hidden = rng.normal(size=rows)
    cells = {f"Var{j}": np.round(5 * np.exp(hidden * (j % 2) + rng.normal(size=rows))) for j in range(8)}
    cells |= {f"Var{j}": np.where(rng.random(rows) < 0.98, np.nan, rng.normal(size=rows)) for j in range(8, 12)}
    levels = np.char.add("v", np.floor(3 * hidden + rng.normal(size=rows)).astype(int).astype(str))
    frame = {name: [None if np.isnan(v) else v for v in values] for name, values in cells.items()}
    frame |= {"Var12": levels.tolist(), "Var13": [None] * rows}
    labels = np.where(hidden > np.quantile(hidden, 5 / 6), "1", "-1")
    return mercer.read_table(frame), mercer.read_table({"column_1": labels.tolist()})


@pytest.fixture(scope="module")
def few():
    """Fewer machines: what is asked here does not depend on how many there are."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(protocol, "COSTS", [1.0, 0.1])
        patch.setattr(protocol, "KINDS", (Overlap, Lin))
        patch.setattr(protocol, "WIDTHS", [2.0**-4, 2.0**-6])
        yield


@pytest.fixture(scope="module")
def found(few):
    cells, labels = cup()
    y = labels.column("column_1") == "1"
    return protocol.chapter_4(protocol.prepared(cells, y, Bins(5)), y), y


def test_every_row_is_tested_once(found):
    results, y = found
    for tested in (results.rbf, results.lin, results.thirds, results.forest):
        assert sorted(np.concatenate(tested.folds)) == list(range(len(y)))
        assert all(((p >= 0) & (p <= 1)).all() for p in tested.methods.values())


def test_scores_are_those_of_scikit_learn(found):
    results, y = found
    tested = results.thirds
    for rows, scores in zip(tested.folds, tested.scores("EnsembleAUC"), strict=True):
        truth, p = y[rows], tested.methods["EnsembleAUC"][rows]
        half, share = p > 0.5, p > truth.mean()
        areas = roc_auc_score(truth, p), average_precision_score(truth, p)
        assert scores[[0, 3]] == pytest.approx(areas)
        assert scores[[1, 2]] == pytest.approx([accuracy_score(truth, half), recall_score(truth, half)])
        assert scores[[4, 5]] == pytest.approx([accuracy_score(truth, share), recall_score(truth, share)])


def test_the_layout_is_that_of_the_thesis(found):
    results, _ = found
    rbf, lin, on_auc, on_ap, alone, best = results.tables()
    assert list(rbf.rows)[:2] == ["1, 2^-4", "1, 2^-6"]
    assert list(lin.rows) == ["2^0", "2^-3.322"]
    for table, name in ((on_auc, "EnsembleAUC"), (on_ap, "EnsembleAP")):
        assert list(table.rows) == ["Fold1", "Fold2", "Fold3", "Avg"]
        assert [row[-1] for row in table.rows.values()][:3] == [str(n) for n in results.sizes[name]]
        assert table.rows["Avg"][:6] == pytest.approx(np.mean([table.rows[f"Fold{r}"][:6] for r in (1, 2, 3)], axis=0))
    assert list(alone.rows) == ["Overlap", "Lin"]
    assert list(best.rows)[:5] == list(protocol.PRINTED)
    assert best.rows["Lin kernel"] == pytest.approx(np.max(list(lin.rows.values()), axis=0))


@pytest.mark.usefixtures("few")
def test_the_files_of_the_cup_run():
    given = list(kdd_cup.run(*cup()))
    assert sum(isinstance(one, FigureTable) for one in given) == 6
    assert isinstance(given[-1], Picture)
    comparisons = [one for one in given if isinstance(one, Comparison)]
    assert [c.ours for c in comparisons if c.what.startswith("columns of numbers")] == [8]
    assert not [c.what for c in comparisons if c.verdict == "DISAGREES"]
