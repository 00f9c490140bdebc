"""What a kernel asks of a node before it is chosen, and the text where that is not so.

An operator's `prepare` gives the facts (`Work.facts`): its own type, which stages never look into.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic

if TYPE_CHECKING:
    from typing_extensions import TypeVar

    Facts = TypeVar("Facts", default=Any)
else:  # Python before 3.13 has no defaults, which matter to mypy alone
    from typing import TypeVar

    Facts = TypeVar("Facts")

NO_FACTS: Any = None
"""Of a node whose kernels ask nothing."""


@dataclass(frozen=True)
class Condition(Generic[Facts]):
    """`holds` is asked of the facts; `otherwise` says, in a few words, what they are where it does
    not hold: "the window is dilated"."""

    holds: Callable[[Facts], bool]
    otherwise: str

    def opposite(self, otherwise: str) -> Condition[Facts]:
        """The condition that holds where this one does not."""
        return Condition(lambda facts: not self.holds(facts), otherwise)
