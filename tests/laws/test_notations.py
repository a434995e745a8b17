"""Numbers written in any notation are read back; neither the order of rows nor blanks change what a column is."""

from hypothesis import given
from hypothesis import strategies as st

import mercer

MARKS = st.sampled_from(
    [(".", ""), (".", ","), (".", "'"), (".", " "), (",", ""), (",", "."), (",", " "), (",", "\xa0")]
)
BESIDE = st.sampled_from(["{}", "€ {}", "$ {}", "{} EUR", "{} kg", "{} %", "{}%"])
NEGATIVE = st.sampled_from(["-{}", "({})", "{}-"])
# With two decimals no number can be taken for one of thousands.
AMOUNTS = st.lists(st.integers(-(10**9), 10**9).filter(lambda cents: cents % 100), min_size=3, max_size=12, unique=True)


def written(cents: int, marks: tuple[str, str], beside: str, negative: str) -> str:
    point, group = marks
    whole, rest = divmod(abs(cents), 100)
    digits = f"{whole:,}".replace(",", group) + f"{point}{rest:02}"
    if cents >= 0:
        return beside.format(digits)
    return negative.format(beside.format(digits)) if negative == "({})" else beside.format(negative.format(digits))


@given(AMOUNTS, MARKS, BESIDE, NEGATIVE)
def test_numbers_are_read_back(cents, marks, beside, negative):
    cents = [abs(cents[0]), *cents[1:]]  # signs in brackets alone would be names
    if len(set(cents)) < 3 or (negative == "{}-" and ("%" in beside or "{} " in beside)):
        return
    table = mercer.read_table({"x": [written(c, marks, beside, negative) for c in cents]})
    scale = 10000 if "%" in beside else 100
    assert table.schema["x"].kind == "numeric", table.schema["x"].reason
    assert table.numbers("x").ravel().tolist() == [c / 100 / (scale / 100) for c in cents]


CELLS = st.lists(
    st.one_of(
        st.sampled_from(
            ["Low", "High", "medium", "Jan", "May", "1-5", "6+", "<1", "12k", "1,5", "1.234", "oops", "5 kg"]
        ),
        st.from_regex(r"[0-9]{1,4}([.,][0-9]{1,3})?( ?[%kg])?", fullmatch=True),
        st.dates().map(str),
    ),
    min_size=3,
    max_size=30,
)


@given(CELLS, st.randoms())
def test_the_order_of_rows_does_not_matter(cells, random):
    shuffled = random.sample(cells, len(cells))
    assert described(cells) == described(shuffled)


@given(CELLS, st.sampled_from([" {}", "{} ", "  {}\t"]))
def test_blanks_around_cells_do_not_matter(cells, blanks):
    assert described(cells) == described([blanks.format(c) for c in cells])


def described(cells):
    schema = mercer.read_table({"x": cells, "y": [i * 0.5 for i in range(len(cells))]}).schema
    return [(c.name, c.kind, c.levels, c.format) for c in schema], [(c.name, c.cause) for c in schema.left_out]
