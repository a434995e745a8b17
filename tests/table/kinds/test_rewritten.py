"""New rows in another notation than the rows learned from: read where that is clear, refused where it is not."""

import re
import warnings

import numpy as np
import pandas as pd
import pytest

import mercer
from mercer.errors import BadColumn, ColumnWarning
from mercer.table import conform_table

PLAIN = ["86.0", "12.5", "1234.5", "7"]
UNITS = ["86.0 kg", "12.5 kg", "70.25 kg", "7 kg"]
SHARES = ["12.5 %", "3 %", "40.25 %", "7 %"]
ISO = ["2021-02-01", "2021-12-31", "2020-05-06", "2019-07-14"]
EUROS = ["€ 5", "€ 7.5", "€ 12"]
EURO = ["1.234,50", "86,0", "12,5", "7,25"]


def learned(cells):
    return mercer.read_table({"x": pd.Series(cells, dtype=object)}).schema


def read(schema, cells):
    return conform_table({"x": pd.Series(cells, dtype=object)}, schema).numbers("x").ravel().tolist()


@pytest.mark.parametrize(
    ("before", "here", "values", "said"),
    [
        (PLAIN, ["86,0", "1.234,5", "1.234"], [86, 1234.5, 1234], "'1.234,5' are read as numbers with a decimal comma"),
        (PLAIN, ["86,0"], [86], "'86,0' are read as numbers with a decimal comma"),
        (PLAIN, ["1.234,50 €", "86,00 €", None], [1234.5, 86, np.nan], "a decimal comma, money in €, those"),
        (PLAIN, ["1,234.50", "1,234"], [1234.5, 1234], "numbers with thousands set apart"),
        (EURO, ["1,234.50", "0.75", "1.234"], [1234.5, 0.75, 1.234], "numbers with thousands set apart"),
        (EURO, ["12.5", "1.234", "0.75"], [12.5, 1.234, 0.75], "numbers with a decimal point"),
        (EUROS, ["5,0 EUR", "7,25 €"], [5, 7.25], "'5,0 EUR' are read as numbers with a decimal comma, money in €."),
        (["$5", "$7.5", "$9"], ["CAD 5", "7 CAD"], [5, 7], "money in CAD, those learned from were money in $"),
        (["5k", "7.5k", "9k"], ["€5k", "€ 9k"], [5000, 9000], "with k, M or bn, money in €, those learned"),
        (["1,234", "5,000.5", "900"], ["€ 5", "7"], [5, 7], "'€ 5' are read as money in €"),
        (UNITS, ["86,5 kg", "7 kg"], [86.5, 7], "a decimal comma, in kg"),
        (SHARES, ["12,5 %", "7 %"], [0.125, 0.07], "a decimal comma, percent"),
        (ISO, ["01.02.2021", "31.12.2021"], [18659, 18992], "'01.02.2021' are read as dates DD.MM.YYYY"),
        (ISO, ["01/02/2021", "31/12/2021"], [18659, 18992], "dates DD/MM/YYYY"),
    ],
)
def test_another_notation_is_read_where_it_is_clear_and_told(before, here, values, said):
    with pytest.warns(ColumnWarning) as heard:
        found = read(learned(before), here)
    np.testing.assert_array_equal(found, values)
    assert len(heard) == 1
    assert said in str(heard[0].message)


@pytest.mark.parametrize(
    ("before", "here", "advice"),
    [
        (PLAIN, ["1,234"], "numbers with a decimal point"),  # a thousand, or a little more than one
        (PLAIN, ["1,234", "2,500"], "numbers with a decimal point"),
        (PLAIN, ["€ 1.234", "86"], "numbers with a decimal point"),
        (PLAIN, ["12 %", "7,5 %"], "numbers with a decimal point"),  # 12 or 0.12
        (PLAIN, ["86,5 kg", "7 kg"], "numbers with a decimal point"),  # of what the model learned?
        (PLAIN, ["1,2k", "3,4k"], "numbers with a decimal point"),
        (PLAIN, ["2021-02-01", "2021-12-31"], "numbers with a decimal point"),
        (PLAIN, ["86,0", "1.234", "12.5"], "numbers with a decimal point"),
        (UNITS, ["86,5 lb", "7 lb"], "numbers in kg"),
        (UNITS, ["86.5 lb", "7 lb"], "numbers in kg"),
        (SHARES, ["0,125", "0,07"], "percent"),
        (["€ 1.234,50", "€ 86,00"], ["$1,234.50", "$86.00"], "a decimal comma, money in €"),
        (EUROS, ["$ 5", "$ 7.5"], "money in €"),
        (EUROS, ["5 USD", "7.5 USD"], "money in €"),
        (["$5k", "$1.5k", "$2k"], ["€5k", "€2k"], "money in \\$"),
        (ISO, ["01/02/2021", "03/04/2021"], "dates YYYY-MM-DD"),
        (ISO, ["02/2021", "12/2021"], "dates YYYY-MM-DD"),
        (ISO, ["01.02.2021 12:30", "31.12.2021 00:00"], "dates YYYY-MM-DD"),
    ],
)
def test_what_may_be_read_in_two_ways_or_is_another_quantity_is_refused(before, here, advice):
    refused = f"Column 'x' (is numeric|holds dates), but row .*Write the column as .*{advice}"
    with pytest.raises(BadColumn, match=refused):
        read(learned(before), here)


@pytest.mark.parametrize(
    ("before", "here", "why"),
    [
        (PLAIN, ["12 %", "7,5 %"], "whether the rows learned from have it as that number or as a hundredth of it"),
        (PLAIN, ["86,5 kg", "7 kg"], "whether the rows learned from have it without 'kg' is not known"),
        (PLAIN, ["1,2k", "3,4k"], "without 'k'"),
        (UNITS, ["86.5 lb", "7 lb"], "in lb where the rows learned from have kg: numbers must be converted"),
        (EUROS, ["$ 5", "$ 7.5"], r"in \$ where the rows learned from have €: amounts must be converted"),
    ],
)
def test_why_a_cell_is_refused_is_said(before, here, why):
    with pytest.raises(BadColumn, match=f"holds '{re.escape(here[0])}'.*{why}"):
        read(learned(before), here)


@pytest.mark.parametrize(
    ("before", "here", "said"),
    [
        (UNITS, ["86", "12.5"], "no cell is in kg, as in the rows learned from: 12.5 is read as kg"),
        (EUROS, ["5", "7.25"], "no cell is in €"),
        (["€ 1.234,50", "€ 86,00"], ["1234,5", "7"], "no cell is in €"),
    ],
)
def test_numbers_without_the_unit_that_was_learned_are_told(before, here, said):
    with pytest.warns(ColumnWarning, match=said) as heard:
        read(learned(before), here)
    assert len(heard) == 1
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        read(learned(before), [before[0], *here])
        read(learned(before), [None, None])


def test_a_cell_in_another_currency_among_many_is_no_number():
    with pytest.warns(ColumnWarning, match=r"no numbers are read as missing: '\$ 7' in row 100"):
        assert np.isnan(read(learned(EUROS), [*(f"€ {k}" for k in range(99)), "$ 7"])[-1])


@pytest.mark.parametrize(
    ("cells", "said", "missing"),
    [
        (
            [*(f"€ {k}.5" for k in range(3000)), "$ 7", "$ 8"],
            "'€ 0.5', read as money in €; 2 other cells",
            [3000, 3001],
        ),
        ([*(f"{k}.5 kg" for k in range(300)), "150 lb"], "'0.5 kg', read as numbers in kg; 1 other cell", [300]),
        (["$5", "$7.50", "USD 12"], "'$5', read as money in USD", []),
    ],
)
@pytest.mark.filterwarnings("ignore::mercer.errors.ColumnWarning")
def test_a_few_amounts_in_another_unit_are_no_numbers(cells, said, missing):
    table = mercer.read_table({"x": pd.Series(cells, dtype=object)})
    assert said in table.schema["x"].reason
    assert np.flatnonzero(np.isnan(table.numbers("x").ravel())).tolist() == missing


def test_commas_before_three_digits_beside_points_before_three_are_doubtful():
    column = learned([*(f"{k / 1000:.3f}" for k in range(900, 1200)), "7,025"] * 2)["x"]
    assert "'7,025' could also be a decimal comma" in column.reason
    assert "could" not in learned(["12.5", "7,025", "3.142"])["x"].reason


def test_amounts_in_several_currencies_are_not_learned_as_one():
    column = learned(["€ 12", "$ 3", "€ 40.25", "$ 7"])["x"]
    assert str(column.kind) == "category"
    assert "numbers in $, €? Convert them to one unit" in column.reason


def test_codes_with_leading_zeros_are_no_numbers_in_another_notation():
    with pytest.raises(BadColumn, match="'86,5'"):
        read(learned(PLAIN), ["0721", "86,5", "0815"])


def test_the_notation_learned_is_read_without_a_word():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert read(learned(PLAIN), ["86.0", "1.234"]) == [86, 1.234]
        assert read(learned(EURO), ["1.234", "86,5"]) == [1234, 86.5]
        assert read(learned(ISO), ["2021-02-01"]) == [18659]


def test_numbers_without_the_sign_of_percentages_are_told():
    with pytest.warns(ColumnWarning, match="without a per cent sign: 40.5 is read as 4050 %"):
        assert read(learned(SHARES), ["12.5", "40.5"]) == [12.5, 40.5]
    with pytest.warns(ColumnWarning, match="30 is read as 3000 %"):
        assert read(learned(SHARES), ["12 %", "30"]) == [0.12, 30]
    with pytest.warns(ColumnWarning, match="40.5 is read as 4050 %"):  # also of a type of numbers
        conform_table({"x": np.array([12.5, -40.5, np.nan])}, learned(SHARES))
    assert "7 without a per cent sign is read as 700 %" in learned([*SHARES, "7"])["x"].reason
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        conform_table({"x": np.array([0.125, 1.0, np.nan])}, learned(SHARES))
        assert read(learned(SHARES), ["0.125", None]) == pytest.approx([0.125, np.nan], nan_ok=True)
        assert read(learned(SHARES), ["12.5 %", "150 %"]) == [0.125, 1.5]


def test_a_few_other_cells_do_not_turn_a_column_round():
    """Of 400 numbers two have a comma: they are strays, as the others would all be other numbers."""
    cells = [f"{k / 1000:.3f}" for k in range(1001, 1400)]
    with pytest.warns(ColumnWarning, match="no numbers are read as missing: '86,5'"):
        found = read(learned(PLAIN), [*cells, "86,5"])
    assert found[:2] == [1.001, 1.002]
    assert np.isnan(found[-1])


def test_a_few_commas_among_whole_numbers_are_decimals():
    cells = [str(k) for k in range(399)]
    with pytest.warns(ColumnWarning, match="decimal comma"):
        assert read(learned(PLAIN), [*cells, "86,5"])[-2:] == [398, 86.5]


def test_the_parts_of_dates_follow_their_dates():
    days = pd.date_range("2019-01-03", periods=400, freq="2D")
    back = days + pd.to_timedelta(np.arange(400) % 9, "D")
    rows = {"sent": days.strftime("%Y-%m-%d"), "back": back.strftime("%Y-%m-%d")}
    whole = mercer.read_table(rows)
    assert {"sent (month)", "back (days since sent)"} <= set(whole.columns)
    turned = {name: [f"{c[8:]}.{c[5:7]}.{c[:4]}" for c in cells] for name, cells in rows.items()}
    with pytest.warns(ColumnWarning, match="DD.MM.YYYY") as heard:
        found = conform_table(turned, whole.schema)
    assert [one.message.column for one in heard] == ["sent", "back"]
    assert found.schema is whole.schema
    np.testing.assert_array_equal(found.numbers(), whole.numbers())
    np.testing.assert_array_equal(found.codes(), whole.codes())


def test_levels_that_are_numbers_are_met_in_another_notation():
    schema = mercer.read_table({"x": pd.Series(["0.5", "1.5"] * 20, dtype=object)}).schema
    assert schema["x"].levels == ("0.5", "1.5")
    with pytest.warns(ColumnWarning, match="'0,5' are read as numbers with a decimal comma"):
        found = conform_table({"x": ["0,5", "1,50", "NA", "0,5"]}, schema)
    assert found.codes("x").ravel().tolist() == [0, 1, -1, 0]
    assert conform_table({"x": ["0,5", "2,5"]}, schema).codes("x").ravel().tolist() == [2, 2]  # levels never seen


MIDNIGHTS = pd.date_range("2021-01-01", periods=30, freq="3D")
NO_DATES = "holds dates, but row 1 holds '{}'. Write the column as dates YYYY-MM-DD"


@pytest.mark.parametrize(
    ("before", "here", "match"),
    [
        (MIDNIGHTS, [44348, 44349], "holds '44348', in a spreadsheet the day 2021-06-01. Write the"),  # days of Excel
        (MIDNIGHTS, [1622505600000.0, np.nan], NO_DATES.format(1622505600000)),
        (MIDNIGHTS, pd.to_timedelta([60, 120], "s"), "came as durations or times of day, .* over dates YYYY-MM-DD"),
        (np.arange(30) * 1.5, MIDNIGHTS, "came as dates, but was learned as others. Hand over numbers"),
        (np.arange(30) * 1.5, pd.to_timedelta([60, 120], "s"), "came as durations"),
    ],
)
def test_numbers_are_no_dates_and_dates_no_numbers(before, here, match):
    schema = mercer.read_table(pd.DataFrame({"x": before})).schema
    with pytest.raises(BadColumn, match=match):
        conform_table(pd.DataFrame({"x": here}), schema)


def test_dates_are_the_same_whatever_type_they_have():
    schema = mercer.read_table(pd.DataFrame({"x": MIDNIGHTS})).schema
    assert schema["x"].format == "date %Y-%m-%d"  # though the type is one of moments
    days = [18628.0 + 3 * k for k in range(30)]
    with pytest.warns(ColumnWarning, match="DD.MM.YYYY"):
        assert read(schema, MIDNIGHTS.strftime("%d.%m.%Y").to_list()) == days
    assert conform_table({"x": MIDNIGHTS.date.tolist()}, schema).numbers("x").ravel().tolist() == days
    compact = mercer.read_table({"x": MIDNIGHTS.strftime("%Y%m%d").to_list()}).schema
    assert compact["x"].format == "date %Y%m%d"
    found = conform_table({"x": [*MIDNIGHTS.strftime("%Y%m%d").astype(int), None]}, compact).numbers("x").ravel()
    np.testing.assert_array_equal(found, [*days, np.nan])
    assert np.isnan(conform_table({"x": [np.nan, np.nan]}, schema).numbers("x")).all()


def test_moments_stay_moments():
    moments = MIDNIGHTS + pd.to_timedelta(np.arange(30), "h")
    assert mercer.read_table(pd.DataFrame({"x": moments})).schema["x"].format == "date %Y-%m-%d %H:%M:%S"
    given = mercer.read_table(pd.DataFrame({"x": moments}), kinds={"x": "numeric"})
    assert given.schema["x"].is_date
    np.testing.assert_array_equal(conform_table(pd.DataFrame({"x": moments}), given.schema).numbers(), given.numbers())


@pytest.mark.parametrize(
    "before", [["yes", "no"], ["TRUE", "FALSE"], [True, False], ["1", "0"], ["Ja", "Nein"], ["VRAI", "FAUX"]]
)
@pytest.mark.parametrize(
    "here", [["Yes", "No"], ["ja", "nein"], ["oui", "non"], [1, 0], [1.0, 0.0], [True, False], ["WAHR", "FALSCH"]]
)
@pytest.mark.filterwarnings("ignore::mercer.errors.ColumnWarning")
def test_a_yes_is_a_yes_in_every_language(before, here):
    schema = mercer.read_table({"x": pd.Series(before * 10, dtype=object)}).schema
    yes, no = (conform_table({"x": [cell]}, schema).codes("x").item() for cell in before)
    found = conform_table({"x": [*here, None]}, schema).codes("x").ravel().tolist()
    assert found == [yes, no, -1]


def test_levels_in_other_capitals_are_read_and_told():
    schema = learned(["Rome", "Oslo", "New York", "IT", "It"] * 4)
    with pytest.warns(ColumnWarning, match="cells such as 'ROME' are read as the level 'Rome'") as heard:
        found = conform_table({"x": ["ROME", "oslo", "new  york", "it", "Wien"]}, schema)
    assert len(heard) == 1
    names = [*schema["x"].levels, None]
    assert [names[code] for code in found.codes("x").ravel()] == ["Rome", "Oslo", "New York", None, None]


def test_a_column_without_a_level_that_was_learned_is_told():
    schema = learned(["Rome", "Oslo"] * 10)
    with pytest.warns(ColumnWarning, match="no cell is a level of the rows learned from, 'Oslo', 'Rome'.* 'Bern'"):
        assert conform_table({"x": ["Bern", "Wien", None]}, schema).codes("x").ravel().tolist() == [2, 2, -1]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        conform_table({"x": ["Bern", "Rome"]}, schema)
        conform_table({"x": ["Bern"]}, schema)
        conform_table({"x": [None, None]}, schema)


def test_numbers_are_no_levels_that_are_words():
    with pytest.raises(BadColumn, match="came as numbers"):
        conform_table({"x": [1, 0, 2]}, learned(["yes", "no"] * 10))
