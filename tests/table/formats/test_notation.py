"""Numbers as people write them."""

from datetime import date

import pytest

import mercer
from mercer.errors import BadColumn, MercerWarning
from mercer.table.formats.notation import in_words

DAYS = date(2021, 3, 14).toordinal() - date(1970, 1, 1).toordinal()


@pytest.mark.parametrize(
    ("cells", "numbers", "notation"),
    [
        (["125K", "80K", "1.5M", "90"], [125e3, 80e3, 1.5e6, 90], "scaled"),
        (["$5K", "$80k", "$2M"], [5e3, 80e3, 2e6], "scaled, money in $"),
        (["1,234", "56", "1,234,567.5"], [1234, 56, 1234567.5], "thousands"),
        (["12%", "7.5 %", "100%"], [0.12, 0.075, 1], "percent"),
        (["$5", "$1,200.50", "$7"], [5, 1200.5, 7], "money in $"),
        (["€5", "€7.5", "€ 9"], [5, 7.5, 9], "money in €"),
        (["-$5", "$7", "$9"], [-5, 7, 9], "money in $"),
        (["1,5", "2,75", "-3,25"], [1.5, 2.75, -3.25], "decimal comma"),
        (["2021-03-14", "2021-03-15", "2021-03-17"], [DAYS, DAYS + 1, DAYS + 3], "date %Y-%m-%d"),
        (["14.03.2021", "15.3.2021", "17.03.2021"], [DAYS, DAYS + 1, DAYS + 3], "date %d.%m.%Y"),
        (["2021-03-14 06:00:00", "2021-03-15 12:00:00", "2021-03-14 18:00:00"],
         [DAYS + 0.25, DAYS + 1.5, DAYS + 0.75], "date %Y-%m-%d %H:%M:%S"),
        (["03/14/2021", "3/15/2021", "03/03/2021"], [DAYS, DAYS + 1, DAYS - 11], "date %m/%d/%Y"),
        (["14/03/2021", "15/3/2021", "03/03/2021"], [DAYS, DAYS + 1, DAYS - 11], "date %d/%m/%Y"),
        (["1.234,50", "12,5", "1.234"], [1234.5, 12.5, 1234], "decimal comma"),
        (["1.234.567", "1.234", "12.500"], [1234567, 1234, 12500], "decimal comma"),
        (["0,123", "1,234", "5"], [0.123, 1.234, 5], "decimal comma"),
        (["€ 1.234,50", "€ 3", "-€ 7,25"], [1234.5, 3, -7.25], "decimal comma, money in €"),
        (["5 EUR", "3,50 EUR", "1.000 EUR"], [5, 3.5, 1000], "decimal comma, money in €"),
        (["$1,234.50", "$5", "($3.20)"], [1234.5, 5, -3.2], "money in $"),
        (["1 234,5", "12", "1\xa0234\u202f567,25"], [1234.5, 12, 1234567.25], "decimal comma"),
        (["1'234.50", "1\u2019000", "7"], [1234.5, 1000, 7], "thousands"),
        (["1,23,456.78", "5", "12,345"], [123456.78, 5, 12345], "thousands"),
        (["12k", "3.4M", "500"], [12e3, 3.4e6, 500], "scaled"),
        (["1 year", "2 years", "1 year"], [1, 2, 1], "in years"),
        (["12,-", "1003,-", "7,--"], [12, 1003, 7], "signed"),
        (["€ 12,-", "€ 1.003,50", "€ 7,--"], [12, 1003.5, 7], "decimal comma, money in €"),
        (["1,01E+02", "2,5E-03", "-4,0e1"], [101, 0.0025, -40], "decimal comma"),
        (["4.823,06- EUR", "12,50 EUR", "7,00- EUR"], [-4823.06, 12.5, -7], "decimal comma, money in €"),
        (["$(1,234.50)", "$5.00", "$7.25"], [-1234.5, 5, 7.25], "money in $"),
        (["1,5 Tsd.", "2,0 Mio.", "0,3 Tsd."], [1500, 2e6, 300], "decimal comma, scaled"),
        (["$1.2bn", "$3m", "$2b"], [1.2e9, 3e6, 2e9], "scaled, money in $"),
        (["1 Mio. €", "2,5 Mio. €", "3 Mio. €"], [1e6, 2.5e6, 3e6], "decimal comma, scaled, money in €"),
        (["(5.2)", "7.1", "3"], [-5.2, 7.1, 3], "signed"),
        (["5.2-", "3.1", "100.0"], [-5.2, 3.1, 100], "signed"),
        (["-5 %", "12%", "12,5%"], [-0.05, 0.12, 0.125], "decimal comma, percent"),
        (["12 kg", "3.5 kg", "7kg"], [12, 3.5, 7], "in kg"),
        (["20°C", "-3°C", "0°C"], [20, -3, 0], "in °C"),
        (["12 m", "3 m", "2.5 m"], [12, 3, 2.5], "in m"),
        (["31/12/2021 06:00", "14/03/2021 12:00", "15/03/2021 00:00"],
         [DAYS + 292.25, DAYS + 0.5, DAYS + 1], "date %d/%m/%Y %H:%M"),
        (["2021-03-14T06:00:00Z", "2021-03-14T12:00:00.000+02:00", "2021-03-15T00:00:00+0200"],
         [DAYS + 0.25, DAYS + 0.5, DAYS + 1], "date %Y-%m-%d %H:%M:%S"),
        (["Mar 14, 2021", "Mar 15, 2021", "Mar 17, 2021"], [DAYS, DAYS + 1, DAYS + 3], "date %b %d, %Y"),
        (["14 Mar 2021", "15 Mar 2021", "17 Mar 2021"], [DAYS, DAYS + 1, DAYS + 3], "date %d %b %Y"),
    ],
)  # fmt: skip
def test_plain_meanings_are_read_and_reported(cells, numbers, notation):
    table = mercer.read_table({"x": [*cells, None]})
    assert table.numbers("x").ravel()[:-1].tolist() == pytest.approx(numbers, abs=1e-9)
    assert table.missing("x").tolist() == [False] * len(cells) + [True]
    assert in_words(notation) in table.schema["x"].reason
    assert table.schema["x"].format == notation


@pytest.mark.parametrize(
    "cells",
    [
        ["03/04/2021", "05/06/2021", "07/08/2021"],  # March or April?
        ["3-4-2021", "5-6-2021", "7-8-2021"],
        ["1/2/03", "4/5/06", "7/8/09"],
        ["31.02.2021", "14.03.2021", "15.03.2021"],  # no such day
        ["12K", "abc", "9"],
        ["1,23,4", "5", "6"],
        ["5 kg", "6 g", "7 kg"],
        ["12A", "3A", "4A"],  # flats
        ["4b", "5b", "12b"],
        ["12k", "12b", "13k"],
        ["3a", "12k", "4b"],
        ["2-", "3", "1-"],  # marks at school
        ["(1)", "(2)", "(3)"],
        ["12,5", "1.5", "1.234"],  # 1.234 or 1234?
        ["$5", "€6", "$7"],
        ["10.0.0.1", "192.168.1.7", "10.0.0.2"],
        ["007", "012", "345"],
        ["1_000", "2_000", "3_000"],
        ["0x1f", "0x2f", "12"],
        ["1e5x", "2", "3"],
    ],
)
def test_doubtful_meanings_are_not_guessed(cells):
    table = mercer.read_table({"x": cells})
    assert table.schema["x"].kind == "category"


@pytest.mark.parametrize(
    "cells", [["1097,37", "1,227.56", "1345.87"], ["12,5", "1.5", "1.234"], ["€ 1.234,50", "€ 1,234.50", "€ 17"]]
)
def test_numbers_with_both_decimal_marks_are_reported(cells):
    few = mercer.read_table({"x": cells}).schema["x"]
    assert f"decimal commas ({cells[0]!r}) beside decimal points ({cells[1]!r})" in few.reason
    many = mercer.read_table(
        {"x": [cell.replace("1", str(i), 1) for i in range(1, 9) for cell in cells], "y": [1] * 24}
    )
    assert "beside decimal points" in many.schema.left_out[0].reason


@pytest.mark.parametrize(
    "cells", [["1,5", "2,5", "x"], ["a", "b", "c"], ["10.0.0.1", "1,5", "1.5"], ["1.5", "red", "2,5"]]
)
def test_texts_among_numbers_are_no_decimal_marks(cells):
    assert "decimal" not in mercer.read_table({"x": cells}).schema["x"].reason


def test_ambiguous_dates_are_reported():
    table = mercer.read_table({"day": ["03/04/2021", "05/06/2021", "07/08/2021", "03/04/2021"]})
    assert "day or month first" in table.schema["day"].reason


@pytest.mark.parametrize("cells", [["1,234", "5,678", "9,012"], ["1,234", "2,500", "12,000"]])
def test_a_comma_before_three_digits_separates_thousands(cells):
    table = mercer.read_table({"x": cells})
    assert table.schema["x"].format == "thousands"
    assert table.numbers("x")[0, 0] == 1234
    assert "could also be a decimal comma" in table.schema["x"].reason


def test_the_notation_holds_at_prediction():
    model = mercer.MajorityClass().fit({"pay": ["10K", "20K", "30K"]}, ["a", "b", "a"])
    assert model.predict({"pay": ["15K", "7", None]}).tolist() == ["a", "a", "a"]
    with pytest.raises(BadColumn, match=r"'pay' is numeric, but row 2 holds 'lots'"):
        model.predict({"pay": ["15K", "lots"]})


def test_numbers_too_large_for_a_double_are_not_infinite():
    with pytest.raises(BadColumn, match="'x'"):
        mercer.read_table({"x": ["1e999", "1", "2"]})


GROUPED = ["932", "1.130", "10.250", "7", "2.500", "33.333", "4.070", "981"]


@pytest.mark.parametrize("as_file", [False, True])
def test_points_set_thousands_apart_where_decimals_cannot_be_written_so(tmp_path, as_file):
    (tmp_path / "t.csv").write_text("x;y\n" + "".join(f"{c};{'ab'[k % 2]}\n" for k, c in enumerate(GROUPED)))
    table = mercer.read_table(tmp_path / "t.csv" if as_file else {"x": GROUPED})
    assert table.numbers("x").ravel().tolist() == [932, 1130, 10250, 7, 2500, 33333, 4070, 981]
    assert "could also have a decimal point" in table.schema["x"].reason
    with pytest.warns(MercerWarning):
        assert mercer.read_table({"x": ["-", *GROUPED]}).schema["x"].reason.startswith("text such as '1.130'")


@pytest.mark.parametrize(
    "cells",
    [
        ["932", "1.13", "10.25", "7", "2.5", "33.333", "4.07"],  # without final zeros
        ["932.000", "1.130", "10.250", "7.000", "2.500", "33.333"],  # all with three decimals
        ["932", "1.131", "10.253", "7", "2.507", "33.333"],  # none ends in a zero, as decimals that were cut
        ["1932", "1.130", "10.250", "7", "2.500", "33.333", "4.070"],  # thousands not set apart
        ["932", "1.130", "0.250", "7", "2.500", "33.333", "4.070"],
    ],
)
def test_decimals_stay_decimals(tmp_path, cells):
    (tmp_path / "t.csv").write_text("x;y\n" + "".join(f"{c};{'ab'[k % 2]}\n" for k, c in enumerate(cells)))
    for source in (tmp_path / "t.csv", {"x": cells}):
        assert mercer.read_table(source).numbers("x").ravel().tolist() == [float(c) for c in cells]
