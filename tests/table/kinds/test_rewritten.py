"""New rows in another notation than the rows learned from: read where that is clear, refused where it is not."""

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
        (PLAIN, ["1.234,50 €", "86,00 €", None], [1234.5, 86, np.nan], "a decimal comma, money"),
        (PLAIN, ["1,234.50", "1,234"], [1234.5, 1234], "numbers with thousands set apart"),
        (EURO, ["1,234.50", "0.75", "1.234"], [1234.5, 0.75, 1.234], "numbers with thousands set apart"),
        (EURO, ["12.5", "1.234", "0.75"], [12.5, 1.234, 0.75], "numbers with a decimal point"),
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
        (["€ 1.234,50", "€ 86,00"], ["$1,234.50", "$86.00"], "a decimal comma, money"),
        (ISO, ["01/02/2021", "03/04/2021"], "dates YYYY-MM-DD"),
        (ISO, ["02/2021", "12/2021"], "dates YYYY-MM-DD"),
        (ISO, ["01.02.2021 12:30", "31.12.2021 00:00"], "dates YYYY-MM-DD"),
    ],
)
def test_what_may_be_read_in_two_ways_or_is_another_quantity_is_refused(before, here, advice):
    with pytest.raises(BadColumn, match=f"Column 'x' is numeric, but row .*Write the column as .*{advice}"):
        read(learned(before), here)


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
    with warnings.catch_warnings():
        warnings.simplefilter("error")
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
