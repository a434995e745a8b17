"""An example that was run: its figures beside those of the text, and its pictures."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import Any

from mercer.errors import BadFile, MercerWarning
from mercer.gallery.comparison import Comparison
from mercer.gallery.example import Example, find
from mercer.gallery.figure_table import FigureTable
from mercer.gallery.picture import Picture, require_matplotlib

DPI = 110


@dataclass(frozen=True)
class DrawnPicture:
    """A picture as the file that shows it."""

    name: str
    caption: str
    png: bytes


@dataclass(frozen=True)
class Reproduction:
    """What came of an example.

    Parameters
    ----------
    example : Example
        What was run.
    comparisons : tuple of Comparison
        The figures of the text beside ours.
    tables : tuple of FigureTable
        Results in the layout of tables of the text.
    pictures : tuple of DrawnPicture
        Name, caption and PNG of each picture.
    seconds : float
        How long it took.

    Examples
    --------
    >>> import mercer
    >>> found = mercer.gallery.reproduce("nbk/meningitis")
    >>> [(c.what, c.source, c.agrees) for c in found.comparisons]
    [('P(meningitis | stiff neck)', '0.0002', True)]
    """

    example: Example
    comparisons: tuple[Comparison, ...]
    tables: tuple[FigureTable, ...]
    pictures: tuple[DrawnPicture, ...]
    seconds: float

    @property
    def unexplained(self) -> int:
        """How many figures neither agree nor have a reason why not."""
        return sum(c.verdict == "DISAGREES" for c in self.comparisons)

    def file_names(self) -> list[str]:
        """What the files of the pictures are called.

        Returns
        -------
        names : list of str
            "lim-bayes_rule-posterior.png" and so on.
        """
        return [f"{self.example.name.replace('/', '-')}-{p.name}.png" for p in self.pictures]

    def to_dict(self) -> dict[str, Any]:
        """The figures as plain data.

        Returns
        -------
        data : dict
            What JSON shows.
        """
        return {
            **self.example.to_dict(),
            "seconds": round(self.seconds, 3),
            "comparisons": [c.to_dict() for c in self.comparisons],
            "tables": [t.to_dict() for t in self.tables],
            "pictures": [
                {"file": f, "caption": p.caption} for f, p in zip(self.file_names(), self.pictures, strict=True)
            ],
        }


def reproduce(name: str | Example, data: str | Path | None = None, *, dpi: int = DPI) -> Reproduction:
    """Run one example.

    Parameters
    ----------
    name : str or Example
        Which one, as `examples` lists them.
    data : str or path, optional
        The folder of the tables that are not embedded.
    dpi : int, default 110
        Dots per inch of its pictures.

    Returns
    -------
    reproduction : Reproduction
        Figures and pictures.

    Raises
    ------
    MercerError
        If there is no such example, a table that it needs is not there or of another version, or matplotlib is not
        installed.

    Examples
    --------
    >>> import mercer
    >>> mercer.gallery.reproduce("nbk/meningitis").comparisons[0].verdict
    'agrees'
    """
    [example] = [name] if isinstance(name, Example) else find([name])
    require_matplotlib()
    needed = [table.read(data_folder(data)) for table in example.needs]
    start = perf_counter()
    comparisons, tables, pictures = [], [], []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", MercerWarning)  # the script has chosen what they are about
        for found in example.run(*needed):
            if isinstance(found, Picture):
                pictures.append(DrawnPicture(found.name, found.caption, found.png(dpi)))
            elif isinstance(found, FigureTable):
                tables.append(found)
            else:
                comparisons.append(found)
    return Reproduction(example, tuple(comparisons), tuple(tables), tuple(pictures), perf_counter() - start)


def data_folder(data: str | Path | None) -> Path | None:
    """The folder of the tables, if one is named.

    Raises
    ------
    BadFile
        If there is no such folder.
    """
    if data is not None and not Path(data).is_dir():
        raise BadFile(f"There is no folder {data}. Name the folder that holds the tables.")
    return None if data is None else Path(data)
