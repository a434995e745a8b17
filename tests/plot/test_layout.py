"""Pictures of long names, many classes and large numbers: nothing is cut, covered or written over; on a dark ground."""

import itertools

import numpy as np
import pandas as pd
import pytest
from matplotlib import pyplot as plt
from matplotlib.axis import Axis
from matplotlib.colors import to_rgb
from matplotlib.text import Text
from sklearn.linear_model import LinearRegression, LogisticRegression, Ridge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import mercer
from mercer import plot
from mercer.errors import BadTable, MercerError
from mercer.estimators.common.explanations.explanation import Explanation
from mercer.kernels import RBF
from mercer.plot.boundaries import MOST_POINTS
from mercer.plot.style import colours

RNG = np.random.default_rng(0)
N = 240
AREA, PLACE, STREET = "Größe der Wohnung in Quadratmetern", "Lage der Wohnung in der Stadt", "Straße"
HOMES = pd.DataFrame(
    {
        AREA: RNG.lognormal(4, 0.5, N).round(1),
        PLACE: RNG.choice(["Stadtmitte", "Vorstadt, sehr weit draußen", "Land"], N),
        "Baujahr": RNG.integers(1900, 2020, N).astype(float),
        STREET: RNG.choice([f"Straße Nummer {k}" for k in range(18)], N),
    }
)
PRICE = (HOMES[AREA] * 3000 + (HOMES[PLACE] == "Stadtmitte") * 200_000 + RNG.normal(size=N) * 60_000).to_numpy()
DEAR = np.where(np.median(PRICE) < PRICE, "teuer", "günstig")
CODES = RNG.integers(0, 12, N)
POINTS = pd.DataFrame(RNG.normal(size=(12, 2))[CODES] * 4 + RNG.normal(size=(N, 2)), columns=["a", "b"])
CLASSES = np.array([f"Klasse {k} mit einem sehr langen Namen" for k in CODES])
WIDE = pd.DataFrame(RNG.normal(size=(N, 40)), columns=[f"measurement of something number {j} in mm" for j in range(40)])
SIGN = np.where(WIDE.iloc[:, 0] + RNG.normal(size=N) > 0, "good", "bad")
BAYES, LINEAR = mercer.NaiveBayes().fit(HOMES, DEAR), mercer.LogisticRegression().fit(HOMES, DEAR)
TWELVE = mercer.NaiveBayes().fit(POINTS, CLASSES)
TREE, NUMBERS = mercer.DecisionTreeClassifier(max_depth=3), mercer.DecisionTreeRegressor(max_depth=3)
PICTURES = {
    "regions": lambda: plot.decision_regions(TWELVE, POINTS, CLASSES),
    "roc": lambda: plot.roc_curve(TWELVE, POINTS, CLASSES),
    "precision": lambda: plot.precision_recall_curve(TWELVE, POINTS, CLASSES),
    "calibration": lambda: plot.calibration_curve(TWELVE, POINTS, CLASSES),
    "confusion": lambda: plot.confusion_matrix(TWELVE, POINTS, CLASSES),
    "lift": lambda: plot.lift_curve(TWELVE, POINTS, CLASSES),
    "densities": lambda: plot.likelihood_table(TWELVE, "a"),
    "likelihood": lambda: plot.likelihood_table(BAYES, STREET),
    "product": lambda: plot.bayes_product(BAYES, HOMES, 3),
    "levels": lambda: plot.partial_dependence(LINEAR, HOMES, STREET),
    "effect": lambda: plot.partial_dependence(TWELVE, POINTS, "a"),
    "importances": lambda: plot.importances(mercer.LogisticRegression().fit(WIDE, SIGN), WIDE, SIGN),
    "explanation": lambda: plot.explanation(mercer.explain(NUMBERS.fit(HOMES, PRICE), HOMES[:2])),
    "coefficients": lambda: plot.coefficients(LINEAR),
    "predicted": lambda: plot.predicted_against_actual(PRICE + 10_000, y=PRICE),
    "residuals": lambda: plot.residuals(PRICE + 10_000, y=PRICE),
    "path": lambda: plot.perceptron_path(mercer.Perceptron(max_iter=5), WIDE, SIGN),
    "kernel": lambda: plot.kernel_matrix("rbf", POINTS, CLASSES),
    "widths": lambda: plot.kernel_shapes(RBF(gamma=0.5), widths=[0.25, 0.5, 1, 2, 4]),
    "splits": lambda: plot.candidate_splits(mercer.DecisionTreeClassifier(max_depth=2).fit(WIDE, SIGN), WIDE, SIGN),
    "tree": lambda: plot.tree(TREE.fit(HOMES, DEAR)),
    "neighbours": lambda: plot.neighbours(
        mercer.KNeighborsClassifier().fit(HOMES, DEAR), HOMES, DEAR, 0, [AREA, PLACE]
    ),
    "learning": lambda: plot.learning_curve([100, 1000, 100_000], [0.9, 0.9, 0.8], [0.6, 0.7, 0.8]),
}


def shown(artist):
    """Texts that are drawn: of the ticks, those within the limits."""
    beyond = set()
    for axis in artist.findobj(Axis):
        low, high = sorted(axis.get_view_interval())
        ticks = [*axis.get_major_ticks(), *axis.get_minor_ticks()]
        hidden = not axis.axes.axison
        beyond |= {t.label1 for t in ticks if hidden or not low - 1e-9 <= t.get_loc() <= high + 1e-9}
    return [t for t in artist.findobj(Text) if t.get_visible() and t.get_text().strip() and t not in beyond]


def drawn(ax):
    ax.figure.canvas.draw()
    return ax


def corners(text):
    """Of the box that a text fills as it stands, slanting or not."""
    box, angle = text.get_window_extent(), text.get_rotation()
    return (box.x0, box.y0, box.x1, box.y1) if angle % 90 == 0 else None


@pytest.mark.parametrize("name", PICTURES)
def test_nothing_is_cut_covered_or_written_over(name):
    ax = drawn(PICTURES[name]())
    room, whole = ax.get_window_extent(), ax.figure.bbox
    for text in shown(ax):
        box = text.get_window_extent()
        assert box.x0 > whole.x0 - 2, text
        assert box.x1 < whole.x1 + 2, text
        assert box.y0 > whole.y0 - 2, text
        assert box.y1 < whole.y1 + 2, text
    if (legend := ax.get_legend()) is not None:
        box = legend.get_window_extent()
        across = min(box.x1, room.x1) - max(box.x0, room.x0)
        up = min(box.y1, room.y1) - max(box.y0, room.y0)
        assert max(0, across) * max(0, up) < 0.25 * room.width * room.height
    for axis in (ax.xaxis, ax.yaxis):
        ticks = [t for t in axis.get_ticklabels() if t in shown(ax)]
        for a, b in itertools.pairwise([corners(t) for t in ticks]):
            if a and b:
                assert min(a[2], b[2]) - max(a[0], b[0]) < 1 or min(a[3], b[3]) - max(a[1], b[1]) < 2
    plt.close("all")


@pytest.mark.parametrize("name", sorted(set(PICTURES) - {"confusion", "product", "tree"}))
def test_words_stand_out_on_a_dark_ground(name):
    """Of those three, words stand on cells and boxes of their own."""
    with plt.style.context("dark_background"):
        ax = drawn(PICTURES[name]())
        within = ax.get_legend()
        words = set(shown(ax)) - set(shown(within) if within else ())
        assert min(sum(to_rgb(text.get_color())) for text in words) > 1.5
        if within:
            ground = sum(within.get_frame().get_facecolor()[:3])
            assert all(abs(sum(to_rgb(text.get_color())) - ground) > 1.5 for text in shown(within))
    plt.close("all")


def test_cells_of_a_product_are_dark_on_light_in_every_style():
    with plt.style.context("dark_background"):
        table = plot.bayes_product(BAYES, HOMES, 3).tables[0]
    for cell in table.get_celld().values():
        assert sum(cell.get_facecolor()[:3]) - sum(to_rgb(cell.get_text().get_color())) > 1.5


def test_names_with_one_beginning_can_be_told_apart():
    ax = PICTURES["levels"]()
    names = [t.get_text() for t in ax.get_xticklabels()]
    assert len(set(names)) == len(names) == 18
    bars = [t.get_text() for t in PICTURES["importances"]().get_yticklabels()]
    assert len(set(bars)) == len(bars) == 20


def test_what_is_asked_of_a_column_is_never_cut():
    boxes = [t.get_text() for t in PICTURES["tree"]().texts[::3]]
    asked = [box for box in boxes if box.startswith("Größe")]
    assert asked
    assert all(float(box.split()[-1]) > 0 for box in asked)
    notes = [t.get_text() for t in PICTURES["splits"]().texts]
    assert all("measurement" not in note and ("<=" in note or "no test" in note) for note in notes)
    cells = [t.get_text() for t in PICTURES["explanation"]().get_yticklabels()]
    assert any(cell.startswith("Größe") and cell.endswith(f"= {HOMES[AREA][0]:g}") for cell in cells)


def test_classes_without_a_colour_of_their_own_are_in_the_legend():
    ax = plot.tree(mercer.DecisionTreeClassifier(max_depth=3).fit(POINTS, CLASSES))
    assert ax.get_legend().get_texts()[-1].get_text() == "other classes"
    assert "other classes" not in [t.get_text() for t in PICTURES["tree"]().get_legend().get_texts()]


def test_levels_on_both_axes_fill_their_cells():
    """Rows that share two levels do not stand on one line."""
    rows = {"job": ["a", "b"] * 60, "city": ["x", "x", "y", "y"] * 30}
    ax = plot.decision_regions(mercer.NaiveBayes().fit(rows, ["n", "y"] * 60), rows, ["n", "y"] * 60)
    spots = np.vstack([c.get_offsets() for c in ax.collections if len(c.get_offsets()) == 60])
    cell = spots[(np.round(spots) == 0).all(axis=1)]
    assert len(cell) == 30
    assert abs(np.corrcoef(cell.T)[0, 1]) < 0.4


def test_of_many_rows_some_are_drawn_and_that_is_said():
    x = RNG.normal(size=(MOST_POINTS + 1, 2))
    ax = plot.decision_regions(LogisticRegression().fit(x, x[:, 0] > 0), x, x[:, 0] > 0)
    assert sum(len(c.get_offsets()) for c in ax.collections if len(c.get_offsets()) > 1) == MOST_POINTS
    assert f"{MOST_POINTS:,} of {MOST_POINTS + 1:,} rows drawn" in ax.get_title(loc="left")
    ax = plot.kernel_matrix("rbf", RNG.normal(size=(1200, 2)))
    assert ax.get_title(loc="left") == "Kernel matrix of 1,000 of 1,200 rows"


def test_large_numbers_are_written_in_full():
    ax = drawn(PICTURES["predicted"]())
    assert "500,000" in [t.get_text() for t in ax.get_xticklabels()]
    model = mercer.SVR(epsilon=30_000, C=1e6).fit(HOMES[[AREA]], PRICE)
    legend = plot.regression_tube(model, HOMES[[AREA]], PRICE).get_legend()
    assert "tube: prediction ± 30,000" in [t.get_text() for t in legend.get_texts()]
    years = [t.get_text() for t in plot.likelihood_table(BAYES, "Baujahr").get_legend().get_texts()]
    assert all(text.split(": ")[1].startswith("1,9") and "e+" not in text for text in years)


def test_rows_without_a_number_are_refused():
    with pytest.raises(BadTable, match="in 1 row of 3"):
        plot.predicted_against_actual([1.0, np.nan, 3.0], y=[1.0, 2.0, 3.0])


def test_medians_are_of_five_rows_and_more_and_of_one_prediction_each():
    assert len(plot.residuals([1.0, 2.0, 3.0], y=[1.0, 2.5, 3.0]).lines) == 1
    ax = plot.residuals(np.full(50, 3.0), y=np.arange(50.0))
    assert len(ax.lines) == 1
    predicted = np.repeat([1.0, 2.0], 25)
    medians = plot.residuals(predicted, y=np.arange(50.0)).lines[-1]
    np.testing.assert_allclose(medians.get_xydata(), [[1.0, 11.0], [2.0, 35.0]])


def test_coefficients_of_pipelines_and_of_one_class_of_several():
    model = make_pipeline(StandardScaler(), Ridge()).fit(WIDE.iloc[:, :3], PRICE)
    ax = plot.coefficients(model)
    np.testing.assert_allclose(ax.lines[-1].get_xdata(), model[-1].coef_)
    assert ax.get_yticklabels()[1].get_text().endswith("1 in mm")
    assert [t.get_text() for t in ax.get_legend().get_texts()] == ["no interval"]
    several = LogisticRegression().fit(POINTS, CODES % 3)
    np.testing.assert_allclose(plot.coefficients(several, table="2").lines[-1].get_xdata(), several.coef_[2])
    with pytest.raises(MercerError, match="name one"):
        plot.coefficients(several)
    with pytest.raises(MercerError, match="StandardScaler has no coefficients"):
        plot.coefficients(make_pipeline(StandardScaler()).fit(POINTS))


def test_many_weights_are_told_from_the_largest():
    legend = [t.get_text() for t in PICTURES["path"]().get_legend().get_texts()]
    assert len(legend) == 11
    assert "31 smaller weights" in legend


def test_titles_say_what_a_cost_and_a_score_are():
    model = LogisticRegression().fit(POINTS, CODES == 0)
    ax = plot.cost_curve(model, POINTS, CODES == 0, cost="fn=20,fp=1")
    assert ax.get_title(loc="left").endswith("A missed row costs 20, a false alarm 1")
    assert "accuracy" in plot.importances(model, POINTS, CODES == 0).get_xlabel()
    number = LinearRegression().fit(POINTS, PRICE)
    assert "max error" in plot.importances(number, POINTS, PRICE, scoring="neg_max_error").get_xlabel().replace(
        "\n", " "
    )


def test_sizes_far_apart_are_on_a_logarithmic_axis():
    assert PICTURES["learning"]().get_xscale() == "log"
    assert plot.learning_curve([50, 100, 150], [1, 1, 1], [1, 1, 1]).get_xscale() == "linear"


def test_axes_that_are_given_keep_the_size_of_their_figure():
    figure, ax = plt.subplots(figsize=(5, 4), layout="constrained")
    plot.roc_curve(TWELVE, POINTS, CLASSES, ax=ax)
    assert tuple(figure.get_size_inches()) == (5, 4)
    assert colours.ink(ax) == colours.INK


MANY = pd.DataFrame({"size": RNG.normal(size=N), "town": RNG.choice([f"town {k}" for k in range(40)], N)})


def test_forty_levels_beside_an_axis_do_not_run_into_each_other():
    model = mercer.DecisionTreeClassifier(max_depth=2).fit(MANY, SIGN)
    ax = drawn(plot.decision_regions(model, MANY, SIGN))
    boxes = sorted((t.get_window_extent() for t in ax.get_yticklabels()), key=lambda box: box.y0)
    assert len(boxes) == 40
    assert all(a.y0 + 0.8 * a.height < b.y0 for a, b in itertools.pairwise(boxes))
    plt.close("all")


def test_levels_with_one_beginning_and_end_can_be_told_apart():
    rows = MANY.assign(town=[f"the town with the long name, number {k}, by the sea" for k in RNG.integers(0, 5, N)])
    ax = plot.partial_dependence(mercer.LogisticRegression().fit(rows, SIGN), rows, "town")
    assert len({t.get_text() for t in ax.get_xticklabels()}) == 5
    plt.close("all")


def test_amounts_beside_bars_are_clear_of_the_names():
    values = np.array([[0.5, -0.001, 0.2]])
    names = tuple(f"a column with a long name, {k}" for k in range(3))
    found = Explanation(names, values, np.zeros(1), None, None, [("1", "2", "3")], "score", None, "")
    ax = drawn(plot.explanation(found))
    amounts = [text.get_window_extent() for text in ax.texts]
    room = ax.get_window_extent()
    assert min(box.x0 for box in amounts) > room.x0
    assert max(box.x1 for box in amounts) < ax.figure.bbox.x1
    plt.close("all")


def test_a_legend_that_would_lie_over_bars_stands_beside_them():
    ax = drawn(plot.likelihood_table(mercer.NaiveBayes().fit(MANY, SIGN), "size"))
    box = ax.get_legend().get_window_extent()
    for line in ax.get_lines():
        path = line.get_path().transformed(line.get_transform())
        assert not path.intersects_bbox(box, filled=False)
    plt.close("all")


def test_a_few_rows_far_off_do_not_flatten_the_average():
    """One row in a hundred is a thousand times as large; that it is not drawn stands in the legend."""
    size = np.linspace(0, 10, 100)
    lines = [(1000 * size if k == 0 else size + k / 100).tolist() for k in range(100)]
    average = np.mean(lines[1:], axis=0)
    line = mercer.EffectLine("", average.tolist(), (average - 1).tolist(), (average + 1).tolist(), [], [], lines)
    effect = mercer.PartialDependence("size", "numbers", size.tolist(), [1] * 100, "prediction", (line,), 100, 0.95)
    ax = plot.partial_dependence(effect)
    low, high = ax.get_ylim()
    assert high - low < 20
    assert "single rows, 1 beyond the picture" in [t.get_text() for t in ax.get_legend().get_texts()]
    plt.close("all")


def test_the_black_line_is_light_on_a_dark_ground():
    with plt.style.context("dark_background"):
        ax = PICTURES["effect"]()
    drawn = [line.get_color() for line in ax.lines]
    assert colours.BLACK not in drawn
    assert colours.CHALK in drawn
    assert colours.BLACK in [line.get_color() for line in PICTURES["effect"]().lines]
    plt.close("all")
