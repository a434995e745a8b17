"""Workbooks: one sheet, below its title, with dates, merged cells and numbers stored as text."""

import datetime as dt
import io
import sys
import warnings
import zipfile
from pathlib import Path

import numpy as np
import openpyxl
import pytest
import xlsxwriter

import mercer
from mercer.errors import BadFile, MercerWarning
from mercer.table.formats.binary import packed

HEADER = ["name", "size", "day"]
ROWS = [["abc"[i % 3], i * 1.5, dt.datetime(2024, 1, 1 + i)] for i in range(8)]


def book(path: Path, **sheets: list[list[object]]) -> Path:
    """A workbook with these rows in its sheets, from A1 on."""
    made = openpyxl.Workbook()
    made.remove(made.active)
    for name, rows in sheets.items():
        sheet = made.create_sheet(name)
        for row in rows:
            sheet.append(row)
    made.save(path)
    return path


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "t.xlsx"


def quietly(path, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return mercer.read_table(path, **options)


def check(table) -> None:
    assert table.n_rows == 8
    assert table.columns == ("name", "size", "day")
    assert table.schema["name"].levels == ("a", "b", "c")
    assert table.numbers("size").ravel().tolist() == [i * 1.5 for i in range(8)]
    assert table.schema["day"].is_date
    assert table.numbers("day")[0, 0] == (dt.date(2024, 1, 1) - dt.date(1970, 1, 1)).days


def test_a_sheet(path):
    check(quietly(book(path, Data=[HEADER, *ROWS])))
    check(quietly(path.rename(path.with_suffix(""))))  # known by its contents


def test_empty_rows_and_columns_around_the_table(path):
    pad = [None, None]
    rows = [[], [], *([*pad, *row[:1], None, *row[1:]] for row in [HEADER, *ROWS]), []]
    check(quietly(book(path, Data=rows)))


@pytest.mark.parametrize(
    "above", [[["Sales 2024"]], [["Sales 2024"], []], [["Sales"], ["by", "region"][:1], []], [[None, "x"], []]]
)
def test_titles_above_the_header(path, above):
    with pytest.warns(MercerWarning, match=r"sheet 'Data': the first .*above the header"):
        check(mercer.read_table(book(path, Data=[*above, HEADER, *ROWS])))


def test_no_header(path):
    table = quietly(book(path, Data=[[i % 5 + 1, i / 4] for i in range(9)]))
    assert table.columns == ("column_1", "column_2")
    assert quietly(path, header=True).n_rows == 8


def test_two_sheets_are_told_and_chosen(path):
    other = [["u", "v"], *([i, i * i] for i in range(5))]
    book(path, Data=[HEADER, *ROWS], Other=other, Empty=[])
    with pytest.warns(MercerWarning, match=r"sheet 'Data' was read. It also has 'Other': choose with --sheet"):
        check(mercer.read_table(path))
    for sheet in ("Other", 2, "2"):
        assert quietly(path, sheet=sheet).columns == ("u", "v")
    with pytest.raises(BadFile, match=r"no sheet 'Othr'\. Did you mean 'Other'"):
        mercer.read_table(path, sheet="Othr")
    with pytest.raises(BadFile, match="no sheet number 4: it has 3"):
        mercer.read_table(path, sheet=4)
    with pytest.raises(BadFile, match="sheet 'Empty': there is no cell"):
        mercer.read_table(path, sheet="Empty")


def test_a_cover_sheet_and_hidden_sheets_are_passed_over(path):
    made = openpyxl.load_workbook(
        book(path, Cover=[["Report"]], Codes=[["x", "y"], [1, 2], [3, 4]], Data=[HEADER, *ROWS])
    )
    made["Codes"].sheet_state = "hidden"
    made.save(path)
    with pytest.warns(MercerWarning, match="sheet 'Data' was read"):
        check(mercer.read_table(path))


def test_the_sheet_with_the_columns_of_the_model_is_read(path):
    book(path, Other=[["u", "v"], [1, 2], [3, 4]], Data=[HEADER, *ROWS])
    schema = mercer.read_table({"size": [1.0, 2.5, 3.0], "name": ["a", "b", "c"]}).schema
    with pytest.warns(MercerWarning, match="sheet 'Data' was read"):
        assert mercer.table.open_source(path, schema=schema).n_rows == 8


def test_merged_cells_give_their_value_to_each_row(path):
    made = xlsxwriter.Workbook(path)
    sheet = made.add_worksheet("Data")
    sheet.merge_range("B2:D2", "Sales by region")
    sheet.write_row("B3", ["region", "n", "pay"])
    for i in range(6):
        sheet.write_row(3 + i, 2, [i * 10, i / 4])
    sheet.merge_range("B4:B6", "north")
    sheet.merge_range("B7:B9", "south")
    made.close()
    with pytest.warns(MercerWarning) as notices:
        table = mercer.read_table(path)
    assert table.column("region").tolist() == ["north"] * 3 + ["south"] * 3
    assert table.columns == ("region", "n", "pay")
    assert any("merged cells (such as rows 4 to 6)" in str(n.message) for n in notices)


@pytest.mark.parametrize("filled", [True, False])
def test_headings_merged_over_several_columns_go_before_the_names_below(path, filled):
    made = xlsxwriter.Workbook(path)
    sheet = made.add_worksheet("Data")
    if filled:
        sheet.merge_range("A1:A2", "id")
    else:
        sheet.write("A2", "id")
    sheet.merge_range("B1:C1", "Sales")
    sheet.merge_range("D1:E1", "Costs")
    sheet.write_row("B2", ["Q1", "Q2", "Q1", "Q2"])
    for i in range(6):
        sheet.write_row(2 + i, 0, [f"n{i % 2}", i * 1.5, i * 2.5, i * 3.5, i * 4.5])
    made.close()
    table = quietly(path)
    assert table.columns == ("id", "Sales Q1", "Sales Q2", "Costs Q1", "Costs Q2")
    assert table.numbers("Costs Q2").ravel().tolist() == [i * 4.5 for i in range(6)]


def test_numbers_stored_as_text_are_numbers(path):
    rows = [["a", "b"], *([str(i * 1.5), str(i) if i % 2 else i] for i in range(30))]
    table = quietly(book(path, Data=rows))
    assert table.numbers("a").ravel().tolist() == [i * 1.5 for i in range(30)]
    assert table.schema.left_out[0].name == "b"  # counts the rows


def test_codes_keep_their_leading_zero(path):
    table = quietly(book(path, Data=[["code", "n"], *([f"0{i % 3}21", i / 7] for i in range(12))]))
    assert table.schema["code"].levels == ("0021", "0121", "0221")


def test_times_truth_gaps_and_errors(path):
    moments = [dt.time(12, 30), dt.time(6), None, dt.time(18)]
    rows = [["t", "flag", "x", "at"]]
    rows += [[t, i % 2 == 0, None if i == 1 else i / 2, dt.datetime(2024, 1, 1, 6 * i)] for i, t in enumerate(moments)]
    rows[3][2] = "#DIV/0!"
    table = quietly(book(path, Data=rows))
    np.testing.assert_allclose(table.numbers("t").ravel(), [45000, 21600, np.nan, 64800], atol=1e-3)
    assert table.schema["flag"].kind == "binary"
    assert np.array_equal(table.numbers("x").ravel(), [0, np.nan, np.nan, 1.5], equal_nan=True)
    assert table.numbers("at").ravel().tolist() == [19723, 19723.25, 19723.5, 19723.75]


def test_an_opendocument_sheet(tmp_path):
    def row(*cells):
        texts = "".join(
            f'<table:table-cell office:value-type="float" office:value="{c}"/>'
            if isinstance(c, float)
            else f'<table:table-cell office:value-type="string"><text:p>{c}</text:p></table:table-cell>'
            for c in cells
        )
        return f"<table:table-row>{texts}<table:table-cell table:number-columns-repeated='16380'/></table:table-row>"

    spaces = " ".join(f'xmlns:{n}="urn:oasis:names:tc:opendocument:xmlns:{n}:1.0"' for n in ("office", "table", "text"))
    rows = "".join([row("name", "size"), *(row("abc"[i % 3], i * 1.5) for i in range(8))])
    end = '<table:table-cell table:number-columns-repeated="16384"/></table:table-row>'
    end = f'<table:table-row table:number-rows-repeated="1048567">{end}'
    content = (
        f"<office:document-content {spaces}><office:body><office:spreadsheet><table:table table:name='S'>{rows}{end}"
    )
    content += "</table:table></office:spreadsheet></office:body></office:document-content>"
    with zipfile.ZipFile(tmp_path / "t.ods", "w") as archive:
        archive.writestr("mimetype", "application/vnd.oasis.opendocument.spreadsheet")
        archive.writestr("content.xml", content)
        archive.writestr("META-INF/manifest.xml", "<manifest/>")
    table = quietly(tmp_path / "t.ods")
    assert table.columns == ("name", "size")
    assert table.numbers("size").ravel().tolist() == [i * 1.5 for i in range(8)]


def renamed(row: bytes, column: bytes = b"A") -> bytes:
    """A workbook whose second row has this number, and its cell this column."""
    buffer, changed = io.BytesIO(), io.BytesIO()
    made = xlsxwriter.Workbook(buffer)
    sheet = made.add_worksheet("S")
    sheet.write("A1", "x")
    sheet.write("A2", 1.0)
    made.close()
    with zipfile.ZipFile(buffer) as old, zipfile.ZipFile(changed, "w") as new:
        for name in old.namelist():
            text = old.read(name).replace(b'r="2"', b'r="%s"' % row)
            new.writestr(name, text.replace(b'"A2"', b'"%s%s"' % (column, row)))
    return changed.getvalue()


def far_cells() -> bytes:
    buffer = io.BytesIO()
    made = xlsxwriter.Workbook(buffer)
    sheet = made.add_worksheet("S")
    for place in ("A1", "B1", "A2", "XFD2", "A1048576"):
        sheet.write(place, 1.0)
    made.close()
    return buffer.getvalue()


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "empty"),
        (b"a,b\n1,2\n", "cannot be read as a workbook"),
        (b"PK\x03\x04" + b"\0" * 50, "not a whole zip"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 600 + "EncryptedPackage".encode("utf-16-le"), "password"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 600, "cannot be read"),
        (far_cells(), r"row 1,048,576, column 16,384, though it holds only \d+.*412\.3 GB"),
        (renamed(b"2", b"XFE"), "a cell of a sheet is in column 16,385, and sheets end at 16,384"),
        (renamed(b"9" * 30), "the last cell of a sheet is in row 1,000,000,000,000, column 1"),
    ],
    ids=["empty", "text", "cut", "encrypted", "broken", "far cells", "no column", "overflow"],
)
def test_what_is_no_workbook(tmp_path, data, message):
    (tmp_path / "t.xlsx").write_bytes(data)
    with pytest.raises(BadFile, match=message):
        mercer.read_table(tmp_path / "t.xlsx")


def test_no_cell_and_no_row(path):
    with pytest.raises(BadFile, match="no sheet holds a cell"):
        mercer.read_table(book(path, Data=[], Other=[]))
    with pytest.raises(BadFile, match=r"header .* but no rows"):
        mercer.read_table(book(path, Data=[HEADER]))


def test_a_workbook_that_unpacks_to_too_much(path, monkeypatch):
    book(path, Data=[HEADER, *ROWS])
    monkeypatch.setattr(packed, "most_unpacked", lambda size: 2000)
    with pytest.raises(BadFile, match="unpacks to more than"):
        mercer.read_table(path)


def test_without_fastexcel_the_extra_is_named(path, monkeypatch):
    book(path, Data=[HEADER, *ROWS])
    monkeypatch.setitem(sys.modules, "fastexcel", None)
    with pytest.raises(BadFile, match=r"pip install mercer\[excel\]"):
        mercer.read_table(path)


def test_a_sheet_of_a_text_file(tmp_path):
    (tmp_path / "t.csv").write_text("a,b\n1,2\n3,4\n")
    with pytest.raises(BadFile, match="no workbook"):
        mercer.read_table(tmp_path / "t.csv", sheet="Data")


def test_a_sheet_of_notes_is_no_table_where_there_is_one(path):
    notes = [["Quarterly export"], ["confidential"], ["ask Ann"]]
    with pytest.warns(MercerWarning, match="sheet 'Data' was read. It also has 'Notes'"):
        check(mercer.read_table(book(path, Notes=notes, Data=[HEADER, *ROWS])))
    assert mercer.read_table(path, sheet="Notes", header=False).columns == ("column_1",)
