"""The notations of new rows that come in chunks: those of the table at once, or none."""

from __future__ import annotations

from mercer.errors import BadColumn
from mercer.table import Schema, Source
from mercer.table.kinds.rewritten import notation_here, notations_of, rewritten, words
from mercer.table.profile.column import ColumnProfile


class Notations:
    """What the first rows are written in holds for all; at the end all rows together must say the same.

    Parameters
    ----------
    learned : Schema
        Of the model.

    Attributes
    ----------
    schema : Schema
        In the notations of the new rows, once some were seen.
    """

    def __init__(self, learned: Schema) -> None:
        self.schema = self._learned = learned
        self._here: dict[str, str] = {}
        self._profiles: dict[str, ColumnProfile] = {}
        self._seen = False

    def of(self, source: Source) -> Schema:
        """The schema by which a chunk is read.

        Parameters
        ----------
        source : Source
            Its cells.

        Returns
        -------
        schema : Schema
            In the notations of the first chunk.
        """
        if not self._seen:
            self._seen, self.schema = True, rewritten(source, self._learned)
            before = notations_of(self._learned)
            self._here = {n: here for n, here in notations_of(self.schema).items() if here != before[n]}
        for name in self._here:
            profile = ColumnProfile.of(source, name, "the first rows")
            self._profiles[name] = self._profiles[name].merge(profile) if name in self._profiles else profile
        return self.schema

    def check(self) -> None:
        """Refuse a table whose rows together are not clearly written as its first rows are; BadColumn names it."""
        for name, here in self._here.items():
            learned = notations_of(self._learned)[name]
            if notation_here(self._profiles[name].texts(), learned) != here:
                raise BadColumn(
                    f"Column {name!r} is not written in one notation: its first rows are {words(here)}, all rows "
                    f"together are not. Write the column as {words(learned)}."
                )
