"""Tables that examples need and that are not embedded: which file, how large, where it is usually found."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from mercer.errors import BadFile, BadTable
from mercer.formatting import counted
from mercer.table import Table, read_table


@dataclass(frozen=True)
class DataTable:
    """A table in the user's data folder: `folder/file`, of so many rows and columns."""

    title: str
    file: str  # below the data folder
    rows: int
    columns: int
    found: str  # where people get it
    header: bool | None = None
    missing: tuple[str, ...] = ()
    kinds: tuple[tuple[str, str], ...] = ()  # of columns that would be left out

    @property
    def shape(self) -> str:
        """Its rows and columns in words."""
        return f"{counted(self.rows, 'row')} and {counted(self.columns, 'column')}"

    def read(self, data: Path | None) -> Table:
        """The table, if it is the one that the example was written for.

        Raises
        ------
        BadFile
            If no folder is named, or the file is not in it.
        BadTable
            If the table has other numbers of rows or columns.
        """
        if data is None:
            raise BadFile(f"This example needs the table {self.title}. {self._where('the data folder')}")
        path = data / self.file
        if not path.is_file():
            raise BadFile(f"{path} is not there: the table {self.title}. {self._where(str(data))}")
        table = read_table(path, header=self.header, missing=self.missing, kinds=dict(self.kinds))
        n_rows, n_columns = table.shape[0], len(table.schema.input_names) + len(table.schema.left_out)
        if (n_rows, n_columns) != (self.rows, self.columns):
            raise BadTable(
                f"{path} is another version of {self.title}: it has {counted(n_rows, 'row')} and "
                f"{counted(n_columns, 'column')}, this example was written for {self.shape}. It is usually found at "
                f"{self.found}."
            )
        return table

    def _where(self, folder: str) -> str:
        return (
            f"Put it ({self.shape}) into {folder} as {self.file}, and name the folder with --data (in Python: data=). "
            f"It is usually found at {self.found}."
        )


FRAUD = DataTable(
    "credit-card fraud",
    "creditcard_fraud/fraud492_plus_random5000.csv",
    5492,
    31,
    "https://www.kaggle.com/datasets/mlg-ulb/creditcardfraud (its 492 frauds, and 5,000 other rows drawn at random)",
)
CALIFORNIA = DataTable(
    "California housing",
    "california_housing/cal_housing.data",
    20640,
    9,
    "https://www.dcc.fc.up.pt/~ltorgo/Regression/cal_housing.html (with a line of column names)",
)
CRIME = DataTable(
    "US crime of 1960",
    "uscrime/MASS_UScrime.csv",
    47,
    16,
    "the R package MASS, as UScrime",
)
TELCO = DataTable(
    "telco churn",
    "telco_churn/Telco-Customer-Churn.csv",
    7043,
    21,
    "https://www.kaggle.com/datasets/blastchar/telco-customer-churn",
)
MUSHROOM = DataTable(
    "mushrooms",
    "mushroom/agaricus-lepiota.data",
    8124,
    23,
    "https://archive.ics.uci.edu/dataset/73/mushroom",
    header=False,
)
CENSUS = DataTable(
    "census income (KDD)",
    "census_income_kdd/census_income_1994_1995_train.csv.gz",
    199_523,
    42,
    "https://archive.ics.uci.edu/dataset/117/census+income+kdd (census-income.data, packed by gzip)",
    header=False,
)
_ORANGE = "https://www.kdd.org/kdd-cup/view/kdd-cup-2009/Data"
ORANGE_CELLS = DataTable(
    "KDD Cup 2009, small",
    "kddcup09_orange/orange_small_train.data",
    50_000,
    230,
    f"{_ORANGE} (orange_small_train.data.zip)",
    header=True,
)
ORANGE_TREATED = DataTable(
    "KDD Cup 2009, 5,000 rows with 256 columns made of the original ones",
    "kddcup09_orange/pyvtreat_test_processed.csv.gz",
    5_000,
    257,
    "https://github.com/WinVector/pyvtreat (pkg/tests/KDD2009/test_processed.csv.gz)",
    kinds=(("orig_index", "numeric"),),
)


def _orange_labels(name: str) -> DataTable:
    file = f"kddcup09_orange/orange_small_train_{name}.labels"
    return DataTable(f"labels of KDD Cup 2009: {name}", file, 50_000, 1, _ORANGE, header=False)


CHURN, APPETENCY, UP_SELLING = (_orange_labels(name) for name in ("churn", "appetency", "upselling"))
