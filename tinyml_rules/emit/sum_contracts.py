"""Contracts of kernels that take their input in pieces and keep sums between them (Form.ROWS)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from tinyml_rules.emit.contracts import OfKernel
from tinyml_rules.emit.kernels import KernelUse
from tinyml_rules.ir.contract import RunningSums


@dataclass(frozen=True)
class OfSums:
    """The contracts of the three functions of such a kernel."""

    kernel: OfKernel
    sums: RunningSums

    def functions(self) -> Iterator[tuple[str, Iterator[str]]]:
        """(end of its name, clauses) of each."""
        yield "_begin", self._begin()
        yield "_row", self._row()
        yield "_end", self._end()

    @property
    def _cells(self) -> str:
        return f"{self.sums.name} + (0 .. {self._last})"

    @property
    def _last(self) -> str:
        return f"{self.kernel.count(self.kernel.contract.writes)} - 1"

    def _begin(self) -> Iterator[str]:
        yield from self._writes_sums()
        yield from self._are_bounded("ensures", "0")

    def _row(self) -> Iterator[str]:
        (piece,) = self.kernel.contract.reads
        cells = f"{piece.name} + (0 .. count - 1)"
        yield "requires 0 <= first && 0 <= count;"
        yield f"requires \\valid_read({cells}) && \\separated({self._cells}, {cells});"
        yield from self._writes_sums()
        if self.sums.values:
            yield f"requires first + count <= {self.kernel.in_params(self.sums.values)};"
        if self.sums.step != "1" and not self.kernel.use.has_odd_pieces:
            step = self.kernel.in_params(self.sums.step)
            yield f"requires count == (count / {step}) * {step};"
        yield from self._are_bounded("requires", "first")
        yield from self._are_bounded("ensures", "first + count")

    def _end(self) -> Iterator[str]:
        yield from self.kernel.of_params()
        yield f"requires \\valid_read({self._cells});"
        yield from self._are_bounded("requires", self.kernel.in_params(self.sums.values))
        yield from self.kernel.of_output(self._cells)

    def _writes_sums(self) -> Iterator[str]:
        yield from self.kernel.of_params()
        yield f"requires \\valid({self._cells});"
        yield f"requires {self.kernel.is_apart(self._cells)};"
        yield f"assigns {self.sums.name}[0 .. {self._last}];"

    def _are_bounded(self, word: str, values: str) -> Iterator[str]:
        """That sums of so many values are inside their bounds."""
        if self.sums.values:
            yield f"{word} {bounded(self.sums, values, f'0 <= k <= {self._last}')};"


def bounded(sums: RunningSums, values: str, where: str) -> str:
    """The same, of the sums `k` where a condition holds."""
    most = f"{sums.most} + {sums.more} * ({values})"
    return f"\\forall integer k; {where} ==> -({most}) <= {sums.name}[k] <= {most}"


def grown(use: KernelUse, values: str, where: str) -> str:
    """What an annotation calls for that: true where a kernel says nothing of its sums."""
    contract = use.kernel.contract
    if contract is None or contract.sums is None or not contract.sums.values:
        return "\\true"
    return bounded(contract.sums, values, where)
