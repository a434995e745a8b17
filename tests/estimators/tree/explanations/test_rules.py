"""A tree as text, rules and a picture."""

from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest

import mercer

TAX = pd.DataFrame(
    {
        "refund": ["yes", "no", "no", "yes", "no", "no", "yes", "no", "no", "no"],
        "marital": ["S", "M", "S", "M", "D", "M", "D", "S", "M", "S"],
        "income": [125.0, 100, 70, 120, 95, 60, 220, 85, 75, 90],
    }
)
CHEAT = np.array(["no", "no", "no", "no", "yes", "no", "no", "yes", "no", "yes"])


def test_tax_returns_are_read_as_rules():
    model = mercer.DecisionTreeClassifier().fit(TAX, CHEAT)
    assert (model.predict(TAX) == CHEAT).all()
    rules = model.rules()
    assert len(rules) == model.get_n_leaves()
    assert sum(r.weight for r in rules) == 10
    assert "income <= 97.5" in " ".join(str(r) for r in rules)
    path = model.explain(TAX[:1])[0]
    assert path.answer == "no"
    assert path.conditions[0] == "income > 97.5"
    assert model.to_text().splitlines()[0] == "all rows: no 70% (10 rows)"
    assert len(model.to_text().splitlines()) == len(model.tree_)
    assert model.to_text(max_depth=0).endswith("...")


def test_rows_are_counted_and_their_weight_is_called_weight():
    weight = np.linspace(0.5, 2.0, len(CHEAT))
    model = mercer.DecisionTreeClassifier().fit(TAX, CHEAT, sample_weight=weight)
    assert model.to_text().splitlines()[0].endswith("(10 rows, weight 12.5)")
    rules = model.rules()
    assert sum(r.rows for r in rules) == 10
    assert sum(r.weight for r in rules) == pytest.approx(12.5)
    assert f"({rules[0].rows:g} rows, weight {rules[0].weight:.6g}, " in str(rules[0])


def test_the_picture_is_well_formed_and_escapes_names():
    frame = TAX.rename(columns={"income": "<income> & co"})
    model = mercer.DecisionTreeClassifier().fit(frame, CHEAT)
    root = ElementTree.fromstring(model.to_svg())
    boxes = root.findall(".//{http://www.w3.org/2000/svg}rect[@class='box']")
    assert len(boxes) == len(model.tree_)
