"""Shared entries of docstrings."""

from __future__ import annotations

import pytest

from mercer.docstrings import SHARED, inherit_docs, shares_docs


def test_a_line_is_replaced_by_its_entry_at_the_same_indent() -> None:
    @shares_docs(
        depth="""
            depth : int
                Levels of the tree."""
    )
    def fit(depth: int, n_jobs: int | None) -> None:
        """Grow.

        Parameters
        ----------
        {depth}
        {n_jobs}
        """

    lines = [line.strip() for line in (fit.__doc__ or "").splitlines()]
    assert lines[4:6] == ["depth : int", "Levels of the tree."]
    assert lines[6].startswith("n_jobs : int or None")
    assert "        depth : int\n            Levels" in (fit.__doc__ or "")


def test_an_entry_that_does_not_exist_is_an_error() -> None:
    def fit() -> None:
        """Grow.

        {nowhere}
        """

    with pytest.raises(KeyError, match="nowhere"):
        shares_docs()(fit)


def test_every_shared_entry_names_itself_and_describes() -> None:
    for key, entry in SHARED.items():
        first, *rest = entry.strip().splitlines()
        assert " : " in first, key
        assert rest, key


def test_overriding_methods_take_the_docstring_of_what_they_override() -> None:
    class Base:
        def fit(self) -> None:
            """Estimate."""

        def predict(self) -> None:
            """Predict."""

    class Own(Base):
        def fit(self) -> None: ...

        def predict(self) -> None:
            """Predict faster."""

        def _hidden(self) -> None: ...

    inherit_docs(Own)
    assert (Own.fit.__doc__, Own.predict.__doc__, Own._hidden.__doc__) == ("Estimate.", "Predict faster.", None)
