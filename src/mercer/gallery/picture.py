"""Pictures of the examples, drawn without a display."""

from __future__ import annotations

import io
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from mercer.errors import BadEnvironment
from mercer.plot.style.colours import COLOURS
from mercer.plot.style.labels import words

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True)
class Picture:
    """One picture of an example.

    Parameters
    ----------
    name : str
        What its file is called, without the ending.
    figure : matplotlib.figure.Figure
        From `panels`.
    caption : str
        What is to be seen, in a sentence or two.

    Examples
    --------
    >>> from mercer.gallery import Picture, panels
    >>> figure, ax = panels()
    >>> Picture("empty", figure, "Axes with nothing on them.").png()[1:4]
    b'PNG'
    """

    name: str
    figure: Any
    caption: str

    def png(self, dpi: int = 110) -> bytes:
        """The picture as a file of dots.

        Parameters
        ----------
        dpi : int, default 110
            Dots per inch.

        Returns
        -------
        png : bytes
            What the file holds.
        """
        file = io.BytesIO()
        self.figure.savefig(file, format="png", dpi=dpi, facecolor="white", metadata={"Software": None})
        return file.getvalue()


def panels(
    rows: int = 1, columns: int = 1, size: tuple[float, float] | None = None, projection: str | None = None
) -> tuple[Figure, Any]:
    """A figure with axes side by side; no display is needed, and none of pyplot's settings is changed.

    Parameters
    ----------
    rows : int, default 1
        How many rows of axes.
    columns : int, default 1
        How many columns of axes.
    size : tuple of two float, optional
        Width and height in inches; None for 5 by 4 a panel, 6 by 4.2 for one.
    projection : str, optional
        "3d" for axes in space.

    Returns
    -------
    figure : matplotlib.figure.Figure
        The figure.
    axes : matplotlib.axes.Axes or ndarray of them
        Its axes: one, or an array as of `matplotlib.pyplot.subplots`.

    Raises
    ------
    BadEnvironment
        If matplotlib is not installed.

    Examples
    --------
    >>> from mercer.gallery import panels
    >>> figure, (left, right) = panels(1, 2)
    """
    require_matplotlib()
    from matplotlib.figure import Figure  # noqa: PLC0415

    single = rows == columns == 1
    figure = Figure(figsize=size or ((6.0, 4.2) if single else (5.0 * columns, 4.0 * rows)), layout="constrained")
    axes = figure.subplots(rows, columns, subplot_kw={"projection": projection})
    for ax in figure.axes:
        ax.set_prop_cycle(color=COLOURS)
    return figure, axes


def label(ax: Any, title: str, x: str = "", y: str = "", *, legend: bool | str = False) -> None:
    """Title and names of axes, in the style of `mercer.plot`.

    Parameters
    ----------
    ax : matplotlib.axes.Axes
        The axes.
    title : str
        What is to be seen; broken into lines where it is too long.
    x : str, default ""
        Name of the axis across.
    y : str, default ""
        Name of the axis up.
    legend : bool or str, default False
        Whether to add a legend; a text is its title.

    Examples
    --------
    >>> from mercer.gallery import label, panels
    >>> figure, ax = panels()
    >>> label(ax, "Nothing to be seen", "age", "income")
    >>> ax.get_xlabel()
    'age'
    """
    words(ax, title, x, y, legend=legend)


def require_matplotlib() -> None:
    """Raise if there is no matplotlib, before any work.

    Raises
    ------
    BadEnvironment
        If matplotlib is not installed.
    """
    try:
        import matplotlib  # noqa: F401, PLC0415
    except ImportError:
        raise BadEnvironment(
            "The examples draw with matplotlib, which is not installed. Install it with: pip install mercer[plot]"
        ) from None
