"""The worked examples of five texts on supervised learning: what each text says, what mercer gives, and the pictures.

A short script per example, in a folder per text: `lim/`, `dm/`, `yao/`, `pilario/`, `nbk/` (`sources.py` says what
they are). `mercer reproduce` lists them, `mercer reproduce lim/bayes_rule` runs one, `mercer reproduce --all` writes
them all as one page. From Python::

    for example in mercer.gallery.examples():
        print(example.name, example.title)
    mercer.gallery.reproduce("lim/bayes_rule").comparisons

To add an example, add one module to the folder of its text; there is no other list to keep. (A module there without
`PASSAGE` is no example: it holds what several of them share.) The module is teaching
material, of at most about 60 lines, and uses mercer's public names alone. It has

1. a docstring: the title in one line that ends with a full stop, then the formula (indented by four spaces) or the
   idea, then a sentence or two in your own words;
2. `PASSAGE = "section 4.1, eq. 4.1"`: where in the text it stands, and `PLACE = 3`, its place among the examples of the
   text;
3. `NEEDS = (tables.FRAUD,)` if it needs tables that are not embedded, each declared in `tables.py` with its file, its
   numbers of rows and columns and where it is usually found. Tables of a few rows stand in `small_tables.py`;
4. `run()`, a generator. It is given the tables of `NEEDS`, in that order, and yields

   `Comparison(what, source, ours)`
       The figure as the text prints it ("0.0072", "3/7", "No") or by its formula (a number), and what mercer gives.
       They agree when ours rounds to the digits printed; `tolerance=` says otherwise. Figures of random draws are
       `Draws(values)`, which agree when the text's lies in the middle 90 %. A figure that comes out differently says
       why with `differs=`, or with `slip=` where the text is wrong; a reason for one that agrees fails the tests.
   `FigureTable(title, columns, rows)`
       Results in the layout of a table of the text, where they are too many or of another data set.
   `Picture(name, figure, caption)`
       A figure of matplotlib from `panels`, which needs no display; draw on its axes with `mercer.plot` (`ax=`) where
       that has the function, else with matplotlib, `colour(k)` and `label(ax, title, x, y)`. The caption says what is
       to be seen, and is read out where the picture cannot be seen.

`tests/gallery/test_examples.py` then runs it: every comparison agrees or says why not. Examples with `NEEDS` run where
the variable MERCER_DATA names a folder that holds their tables.

The way of an example: `example.examples` finds it, `tables.DataTable.read` checks and reads what it needs,
`reproduction.reproduce` runs it and draws its pictures, `page.render` makes the page.
"""

from mercer.gallery.comparison import Comparison, Draws
from mercer.gallery.example import Example, examples
from mercer.gallery.figure_table import FigureTable
from mercer.gallery.picture import Picture, label, panels
from mercer.gallery.reproduction import Reproduction, reproduce
from mercer.plot.style.colours import colour

__all__ = [
    "Comparison",
    "Draws",
    "Example",
    "FigureTable",
    "Picture",
    "Reproduction",
    "colour",
    "examples",
    "label",
    "panels",
    "reproduce",
]
