"""Records in a table: a sequence that a console and a notebook show as one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TypeVar, overload

from tinyml_rules.api.html import table_html
from tinyml_rules.reporting.rows import Rows, plain

_Of_co = TypeVar("_Of_co", covariant=True)


class Table(Sequence[_Of_co]):
    """Records, each with a row of the table.

    It is a sequence of the records.  `rows` has what is shown, a dictionary for each row, which
    `pandas.DataFrame` takes.
    """

    def __init__(self, records: Iterable[_Of_co], rows: Rows) -> None:
        """`rows`: as many as there are records, all with the same keys."""
        self.records = tuple(records)
        self.rows = rows

    @overload
    def __getitem__(self, place: int) -> _Of_co: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[_Of_co]: ...
    def __getitem__(self, place: int | slice) -> _Of_co | Sequence[_Of_co]:
        """A record, or some of them."""
        return self.records[place]

    def __len__(self) -> int:
        """How many records."""
        return len(self.records)

    def __iter__(self) -> Iterator[_Of_co]:
        """The records."""
        return iter(self.records)

    def __repr__(self) -> str:
        """The table as text."""
        return plain(self.rows) if self.rows else "(no rows)"

    def _repr_html_(self) -> str:
        return table_html(self.rows)
