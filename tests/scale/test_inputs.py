"""Files as they come: some empty, in another order, of other types, packed or spoiled.

The same answer, or an error that names the file and says what next.
"""

import gzip
import os

import numpy as np
import pandas as pd
import pytest

import mercer
from mercer.errors import BadColumn, BadFile, BadTable, BadTarget, MercerWarning
from tests.scale.rows import ROWS, cut, expect_same


def write(part, path):
    part.to_parquet(path) if path.suffix == ".parquet" else part.to_csv(path, index=False)


@pytest.fixture(params=["csv", "parquet"])
def kind(request):
    return request.param


@pytest.fixture
def folder(tmp_path, kind):
    for k, part in enumerate(cut(ROWS, [200, 400])):
        write(part, tmp_path / f"{k}.{kind}")
    return tmp_path


def fit(folder, pattern="*"):
    return mercer.scale.fit(mercer.NaiveBayes(), str(folder / pattern), "y")


def whole(rows=ROWS):
    return mercer.scale.fit(mercer.NaiveBayes(), [rows], "y")


def expect_answers(model, rows=ROWS):
    """Those of one fit to the rows."""
    new = ROWS.drop(columns="y")
    expected = mercer.NaiveBayes().fit(rows.drop(columns="y"), rows.y).predict_proba(new)
    np.testing.assert_allclose(model.predict_proba(new), expected, rtol=1e-10)


def test_a_file_without_rows_does_not_matter(folder, kind):
    before = fit(folder)
    write(ROWS.head(0), folder / f"0a.{kind}")
    expect_same(fit(folder), before)


def test_files_without_rows_alone_are_no_table(tmp_path, kind):
    for k in range(2):
        write(ROWS.head(0), tmp_path / f"{k}.{kind}")
    with pytest.raises(BadTable, match="no rows: every chunk is empty"):
        fit(tmp_path)


def test_new_rows_may_come_with_files_that_have_none(folder, kind, tmp_path_factory):
    write(ROWS.head(0), folder / f"0a.{kind}")
    out = tmp_path_factory.mktemp("out")
    mercer.save(whole(), out / "model.mercer", target="y")
    assert mercer.predict_file(out / "model.mercer", str(folder / f"*.{kind}"), out / "lines.csv").n_rows == len(ROWS)


def test_a_file_of_nothing_is_named(folder):
    (folder / "1a.csv").write_text("")
    with pytest.raises(BadFile, match=r"1a\.csv is empty"):
        fit(folder)


def test_columns_may_be_in_another_order(folder, kind):
    more = ROWS.head(80)
    write(more[["y", "city", "age", "pay", "job"]], folder / f"3.{kind}")
    expect_answers(fit(folder), pd.concat([ROWS, more]))


def test_a_name_that_is_there_twice_is_counted(tmp_path):
    text = ROWS.to_csv(index=False).replace("age,job,pay,city,y", "age,job,age,city,y", 1)
    (tmp_path / "0.csv").write_text(text)
    (tmp_path / "1.csv").write_text(text)
    assert fit(tmp_path).schema_.names == ("age", "job", "age.2", "city")
    ROWS.to_csv(tmp_path / "2.csv", index=False)
    with pytest.raises(BadColumn, match=r"2\.csv has no column 'age\.2', which .*0\.csv has.*leave one of the files"):
        fit(tmp_path)


def test_kinds_of_files_may_be_mixed(tmp_path):
    first, second = cut(ROWS, [250])
    write(first, tmp_path / "0.csv")
    write(second, tmp_path / "1.parquet")
    expect_answers(fit(tmp_path))
    expect_answers(mercer.scale.fit(mercer.NaiveBayes(), str(tmp_path), "y"))


def test_packed_text_is_read(tmp_path):
    for k, part in enumerate(cut(ROWS, [250])):
        (tmp_path / f"{k}.csv.gz").write_bytes(gzip.compress(part.to_csv(index=False).encode()))
    expect_answers(fit(tmp_path))


def test_a_file_without_the_target_is_named(folder, kind):
    write(ROWS.head(50).drop(columns="y"), folder / f"1a.{kind}")
    with pytest.raises(BadTarget, match=rf"1a\.{kind}: there is no column 'y' to predict"):
        fit(folder)


def test_a_file_whose_target_is_missing_everywhere_is_left_out(folder, kind):
    before = fit(folder)
    write(ROWS.head(50).assign(y=None), folder / f"3.{kind}")
    with pytest.warns(MercerWarning, match="50 rows have no 'y'"):
        found = fit(folder)
    assert found.class_count_.tolist() == before.class_count_.tolist()


@pytest.mark.parametrize("column", ["pay", "job"])
def test_a_column_that_one_file_does_not_know(folder, kind, column):
    more = ROWS.head(50).assign(**{column: None})
    write(more, folder / f"0a.{kind}")  # a column of no type in Parquet
    both = pd.concat([ROWS, ROWS.head(50).assign(**{column: np.nan if column == "pay" else None})])
    expect_answers(fit(folder), both)


def test_dates_and_categories_of_parquet(tmp_path):
    rows = ROWS.assign(when=pd.date_range("2020-01-01", periods=len(ROWS)), job=ROWS.job.astype("category"))
    other = pd.Categorical(ROWS.job, ["sales", "nurse", "clerk", "pilot"])  # the same levels in another order
    for k, part in enumerate([rows[:250], rows.assign(job=other)[250:]]):
        part.to_parquet(tmp_path / f"{k}.parquet")
    found = fit(tmp_path)
    assert {"when", "when (month)", "when (weekday)"} < set(found.schema_.names)
    assert set(found.schema_["job"].levels) >= {"clerk", "nurse", "sales"}
    assert found.class_count_.sum() == len(rows)


def test_whole_numbers_beside_others(folder, kind):
    more = ROWS.head(60).assign(age=ROWS.age.head(60).round().astype("int64"))
    write(more, folder / f"3.{kind}")
    expect_answers(fit(folder), pd.concat([ROWS, more]))


def test_one_spoiled_file_among_a_thousand_is_named(tmp_path):
    for k in range(1000):
        (tmp_path / f"{k:04}.csv").write_text(ROWS.iloc[k % 590 : k % 590 + 3].to_csv(index=False))
    (tmp_path / "0700.csv").write_bytes(b"age,job,pay,city,y\n1,\x00\xff")
    with pytest.raises(BadFile, match=r"0700\.csv .*(again|leave it out)"):
        fit(tmp_path)


def test_a_cut_parquet_file_is_named(tmp_path):
    for k, part in enumerate(cut(ROWS, [200, 400])):
        part.to_parquet(tmp_path / f"{k}.parquet")
    spoiled = tmp_path / "1.parquet"
    spoiled.write_bytes(spoiled.read_bytes()[:-30])
    with pytest.raises(BadFile, match=r"1\.parquet cannot be read.*Write the file again, or leave it out"):
        fit(tmp_path)


def test_files_of_a_read_only_folder_are_read(folder):
    before = fit(folder)
    os.chmod(folder, 0o500)
    try:
        expect_same(fit(folder), before, rtol=0)
    finally:
        os.chmod(folder, 0o700)
