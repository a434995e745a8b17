"""Words and ranges that have an order."""

import random

import numpy as np
import pandas as pd
import polars as pl
import pytest

import mercer
from mercer.table.kinds.order import find_order

ORDERS = [
    ["Low", "Medium", "High"],
    ["low", "med", "high", "vhigh"],
    ["very low", "low", "medium", "high", "very high"],
    ["L", "M", "H"],
    ["S", "M", "L", "XL", "XXL"],
    ["small", "med", "big"],
    ["None", "mild", "moderate", "severe"],
    ["Po", "Fa", "TA", "Gd", "Ex"],
    ["poor", "fair", "good", "excellent"],
    ["Bad", "Medium", "Good"],
    ["never", "rarely", "sometimes", "often", "always"],
    ["Strongly disagree", "Disagree", "Neither agree nor disagree", "Agree", "Strongly agree"],
    ["cool", "mild", "hot"],
    ["Jan", "Feb", "Mar", "Dec"],
    ["January", "May", "October"],
    ["März", "April", "Oktober", "Dezember"],
    ["janv.", "févr.", "août"],
    ["Mon", "Wed", "Sun"],
    ["lunes", "miércoles", "domingo"],
    ["Preschool", "1st-4th", "12th", "HS-grad", "Some-college", "Bachelors", "Masters", "Doctorate"],
    ["primary", "secondary", "tertiary"],
    ["0 %", "1 - 10 %", "11 - 20 %"],
    ["0-9 years", "10-19 years", "20+ years"],
    ["<18", "18-24", "25-64", "65+"],
    ["under 18", "18 to 30", "over 30"],
    ["$10k-20k", "$20k-30k", "$100k+"],
    ["<= 30", "31-40", "> 40"],
    ["10-20", "20-30", "50000+."],
    ["(0.0, 10.0]", "(10.0, 20.0]", "(100.0, inf]"],
    ["< 10,000", "10,000-19,999", "100,000-199,999"],
    ["less than 1 year", "1-3 years", "4 or more years"],
    ["2", "3", "4", "5more"],
    ["10 – 20", "20 – 30", "100 – 200"],
    ["1 star", "2 stars", "5 stars"],
    ["1/5", "3/5", "5/5"],
    ["1 out of 10", "4 out of 10", "10 out of 10"],
    ["2.5 of 5 stars", "4 of 5 stars", "5 of 5 stars"],
    ["Stage I", "Stage II", "Stage IV"],
    ["grade 2", "grade 9", "grade 10"],
    ["1st class", "2nd class", "3rd class"],
    ["+", "++", "+++"],
    ["-", "+", "++", "+++"],
    ["negative", "trace", "1+", "2+"],
    ["I", "II", "III", "IV"],
    ["Stage I", "Stage IIA", "Stage IIB", "Stage III"],
    ["1 - strongly disagree", "2 - disagree", "3 - neutral", "4 - agree"],
    ["1: very good", "2: good", "3: poor"],
    ["1 (low)", "2", "3", "4", "5 (high)"],
    ["Q1", "Q2", "Q3", "Q4"],
    ["2023Q3", "2023Q4", "2024Q1"],
    ["Q4 2022", "Q1 2023", "Q2 2023"],
    ["2021-03", "2021-04", "2021-05"],
    ["Nov 2021", "Dec 2021", "Feb 2022"],
    ["never", "yearly", "monthly", "weekly", "daily"],
    ["Less than once a month", "Once a month", "Once a week", "Every day"],
    ["stimme gar nicht zu", "stimme eher nicht zu", "teils/teils", "stimme eher zu", "stimme voll zu"],
    ["trifft überhaupt nicht zu", "trifft eher nicht zu", "weder noch", "trifft eher zu", "trifft voll und ganz zu"],
    ["Pas du tout d’accord", "Plutôt pas d'accord", "Ni d'accord ni pas d'accord", "Tout à fait d'accord"],
    ["Totalmente en desacuerdo", "En desacuerdo", "Neutral", "De acuerdo", "Totalmente de acuerdo"],
    ["sehr unzufrieden", "unzufrieden", "neutral", "zufrieden", "sehr zufrieden"],
    ["nie", "selten", "manchmal", "oft", "immer"],
    ["jamais", "rarement", "parfois", "souvent", "toujours"],
    ["niedrig", "mittel", "hoch"],
    ["faible", "moyen", "élevé"],
    ["bajo", "medio", "alto"],
    ["basso", "medio", "alto"],
    ["laag", "gemiddeld", "hoog"],
    ["klein", "mittel", "groß"],
    ["mangelhaft", "ausreichend", "befriedigend", "gut", "sehr gut"],
    ["Hauptschule", "Realschule", "Abitur", "Bachelor", "Promotion"],
    ["unter 18", "18 bis 34", "35 bis 64", "65 und älter"],
    ["moins de 18 ans", "18 à 34 ans", "35 à 64 ans", "65 ans et plus"],
]


@pytest.mark.parametrize("levels", ORDERS, ids=lambda levels: levels[0])
def test_levels_are_ordinal_in_their_order(levels):
    cells = levels * 4
    random.Random(0).shuffle(cells)
    column = mercer.read_table({"x": cells}).schema["x"]
    assert (column.kind, column.levels) == ("ordinal", tuple(levels))
    assert "order" in column.reason


@pytest.mark.parametrize("levels", ORDERS, ids=lambda levels: levels[0])
def test_an_order_is_that_of_any_part_of_it(levels):
    part = [level for level in levels if level != "None"][-2 if len(levels[-1]) > 3 else -3 :]
    column = mercer.read_table({"x": part[::-1] * 10}).schema["x"]
    assert column.levels == tuple(part)
    assert column.kind == ("binary" if len(part) == 2 else "ordinal")


@pytest.mark.parametrize(
    "levels",
    [
        ["M", "L"],  # of size or of level: two orders
        ["M", "F", "H"],
        ["low", "high", "blue"],
        ["yes", "no", "maybe"],
        ["c", "w", "b"],
        ["2-1", "3-0", "0-2"],
        ["10-20", "15-25", "30-40"],  # overlap
        ["555-1234", "555-9999", "556-1000"],
        ["1-5 kg", "6-10 g", "11-15 kg"],
        ["2", "4", "more"],
        ["2010-11", "2011-12", "2012-13"],  # seasons
        ["4711-03", "4711-04", "4711-05"],
        ["low", "Jan", "Mon"],
        ["1 - Sales", "2 - Marketing", "3 - Research"],
        ["1 - low", "2 - high", "3 - medium"],
        ["-", "+"],
        ["I", "V", "X"],
        ["A", "B", "C"],
        ["hoch", "medium", "low"],  # of two languages
        ["1/5", "2/6", "3/5"],
        ["3/5", "4/5", "6/5"],  # fractions or dates
        ["Store 1", "Store 2", "Store 3"],
        ["Stage I", "Stage 1", "Stage 2"],  # two names of one step
        ["1st", "2 stars", "3rd"],
    ],
)
def test_doubtful_orders_are_not_guessed(levels):
    assert mercer.read_table({"x": levels * 10}).schema["x"].kind in ("category", "binary")
    assert find_order(levels) is None


def test_case_and_blanks_do_not_matter():
    column = mercer.read_table({"x": [" LOW", "high ", "Very_High", "very  low"] * 5}).schema["x"]
    assert column.levels == ("very  low", "LOW", "high", "Very_High")


def test_no_answer_has_no_place_in_the_order(tmp_path):
    table = mercer.read_table({"x": ["Low", "Unknown", "High", "Medium"] * 5})
    assert table.schema["x"].levels == ("Low", "Medium", "High")
    assert table.codes("x").ravel()[:4].tolist() == [0, -1, 2, 1]
    assert "'Unknown' read as missing" in table.schema["x"].reason


def test_an_order_is_kept_by_the_model_file(tmp_path):
    rows = {
        "month": ["January", "March", "May", "December"] * 10,
        "age": ["<18", "18-64", "65+", "18-64"] * 10,
        "rating": ["1 out of 5", "2 out of 5", "4 out of 5", "5 out of 5"] * 10,
    }
    model = mercer.DecisionTreeClassifier().fit(rows, ["a", "b", "b", "a"] * 10)
    mercer.save(model, tmp_path / "m.mercer")
    loaded = mercer.load(tmp_path / "m.mercer")
    assert loaded.schema_["month"].levels == ("January", "March", "May", "December")
    new = {
        "month": ["dec", "MARCH", "unknown"],
        "age": ["< 18", "65 +", "18 - 64"],
        "rating": ["5/5", "2 OUT OF 5", "3 out of 5"],
    }
    table = mercer.table.conform_table(new, loaded.schema_)
    assert table.codes("month").ravel().tolist() == [3, 1, -1]
    assert table.codes("age").ravel().tolist() == [0, 2, 1]
    assert table.codes("rating").ravel().tolist() == [3, 1, 4]  # the last one was never seen


def test_categories_without_a_declared_order():
    cells = ["High", "Low", "Medium"] * 5
    for frame in (
        pd.DataFrame({"x": pd.Categorical(cells)}),
        pl.DataFrame({"x": pl.Series(cells, dtype=pl.Categorical)}),
        pd.DataFrame({"x": cells}),
        np.array(cells, dtype=object)[:, None],
    ):
        table = mercer.read_table(frame)
        assert table.schema.columns[0].levels == ("Low", "Medium", "High")
    declared = pd.DataFrame({"x": pd.Categorical(cells, ["High", "Medium", "Low"], ordered=True)})
    assert mercer.read_table(declared).schema["x"].levels == ("High", "Medium", "Low")


def test_ordinal_on_request_takes_the_known_order():
    table = mercer.read_table({"x": ["high", "low", "medium"]}, kinds={"x": "ordinal"})
    assert table.schema["x"].levels == ("low", "medium", "high")


def test_numbers_of_a_frame_stay_numbers():
    assert mercer.read_table(pd.DataFrame({"month": [1, 2, 12] * 5})).schema["month"].kind == "numeric"
