"""The accounts of a profile: one for each step of a model and of the graphs that its nodes run."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from tinyml_rules.ir.program import Program
from tinyml_rules.ir.work_kind import WorkKind

BETWEEN = 0
"""The account of all cycles outside of steps: the control of rows, and the code before the first
step."""
GOES_ON = 1 << 31
"""Added to the account of a mark at which a step continues that has begun before."""


@dataclass(frozen=True)
class Account:
    """A step, and the work of one run of it."""

    graph: int
    """The number of its graph in the file, 0 for the model itself."""
    node: int
    name: str
    """Unique among the steps of its graph."""
    op: str
    kernel: str
    kind: WorkKind
    macs: int
    values: int
    """Elements of all its outputs."""

    @property
    def label(self) -> str:
        """Its name in tables: `3`, or `1:3` in a graph that a node runs."""
        return f"{self.graph}:{self.name}" if self.graph else self.name


def accounts_of(program: Program, called: tuple[int, ...]) -> tuple[Account, ...]:
    """The accounts from 1 on: the model's steps, then those of the graphs `called`, whose numbers
    are given in the order of `program.called`."""
    graphs = zip((0, *called), (program, *program.called), strict=True)
    return tuple(account for number, each in graphs for account in _accounts(number, each))


def first_accounts(program: Program, called: tuple[int, ...]) -> dict[int, int]:
    """{number of a graph: the account of its first step}."""
    first, account = {}, BETWEEN + 1
    for number, each in zip((0, *called), (program, *program.called), strict=True):
        first[number] = account
        account += len(each.steps)
    return first


def _accounts(number: int, program: Program) -> Iterator[Account]:
    tensors = program.graph.tensors
    for step in program.steps:
        yield Account(
            graph=number,
            node=step.node.index,
            name=step.name,
            op=step.node.op,
            kernel=step.kernel.name,
            kind=step.kind,
            macs=step.macs,
            values=sum(tensors[index].count for index in step.outputs),
        )
