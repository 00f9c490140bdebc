"""How the generated file calls nodes, kernels, tensors and rows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from tinyml_rules.cores import core_of, qualifiers_of
from tinyml_rules.emit.c_text import moved
from tinyml_rules.emit.kernels import kernels_in_pieces, row_suffix
from tinyml_rules.emit.runtime import files_for
from tinyml_rules.ir.accounts import BETWEEN, GOES_ON
from tinyml_rules.ir.dtype import DType
from tinyml_rules.ir.interface import ArenaMode, Interface
from tinyml_rules.ir.program import Form, Kernel, Step
from tinyml_rules.ir.text import operator_name
from tinyml_rules.plan.memory_plan import KEPT, MAIN, MemoryPlan
from tinyml_rules.plan.tasks import Ring, Schedule, Task
from tinyml_rules.surroundings.surroundings import NOTHING, Surroundings

_IN_ORDER = '__asm__ __volatile__("" : : : "memory");'
_LEAVES = "return false;"
"""The statement with which a step ends an inference."""


@dataclass(frozen=True)
class Names:
    """How the generated file calls things."""

    schedule: Schedule
    plan: MemoryPlan
    prefix: str
    arena: ArenaMode
    is_checked: bool = False
    """Dead bytes are overwritten."""
    kernel_prefix: str = ""
    """Of the kernels' names, where that is not `prefix`."""
    first_account: int | None = None
    """The account of the program's first step, where the code has marks for a profile."""
    has_hooks: bool = False
    """Macros of the user are around the nodes of the model, not of graphs that these run."""
    in_constant_time: bool = False
    """No branch may depend on data where there is a way without."""
    has_loop_limits: bool = False
    """Loops whose count depends on data say how often they run at most."""
    is_watched: bool = False
    """The marks are for a runner that reads what a step has made: one after each."""
    is_annotated: bool = False
    """Functions have contracts and loops have invariants, as comments for Frama-C."""

    @property
    def main_arena(self) -> str:
        """What points to the main arena, inside any function of the file."""
        if self.arena is ArenaMode.CALLER:
            return "arena"
        return "tinyml_shared_arena" if self.arena is ArenaMode.SHARED else f"{self.prefix}arena"

    @property
    def apart_bytes(self) -> int:
        """Of the arena's start, what a static arena has as variables of their own: compilers make
        smaller code where sums cannot be tensors."""
        return self.plan.state_bytes if self.arena is ArenaMode.STATIC else 0

    def state(self, member: str) -> str:
        """A variable that is not a tensor's: the model's own, or at the arena's start."""
        if self.arena is ArenaMode.STATIC:
            return f"{self.prefix}{member}"
        return f"{self.prefix}state({self.main_arena})->{member}"

    def node(self, step: Step) -> str:
        return f"&{self.prefix}node_{step.name}"

    def function(self, step: Step) -> str:
        if step.kernel.form is Form.CALL:
            return f"{self.prefix}run_{step.name}"
        if step.kernel.is_c_function:
            return step.kernel.name
        return f"{self.kernel_prefix or self.prefix}{step.kernel.name}"

    def call(self, step: Step, *operands: str, suffix: str = "") -> str:
        """The statement that runs a step's kernel; one without constants is given none."""
        constants = (self.node(step),) if step.has_constants else ()
        return f"{self.function(step)}{suffix}({', '.join((*constants, *operands))});"

    def row_suffix(self, step: Step) -> str:
        """The end of the name of the function with which a step makes a whole row."""
        return row_suffix(in_pieces=self.is_checked or step.kernel.name in self._in_pieces)

    @cached_property
    def _in_pieces(self) -> frozenset[str]:
        return frozenset(kernels_in_pieces(self.schedule))

    def mark(self, step: Step, *, flag: int = 0) -> str:
        """The statement from which on a profile counts for the step; `flag`: 0 or GOES_ON."""
        assert self.first_account is not None
        steps = [each.name for each in self.schedule.program.steps]
        return _mark(self.first_account + steps.index(step.name) + flag)

    def marked(self, step: Step, *statements: str) -> Iterator[str]:
        """The statements of a step, between marks and hooks where the code has them."""
        begin, end = self._hooks_of(step)
        in_order = self.in_order(step.kernel)
        yield from in_order
        yield from begin
        if self.counts:
            yield self.mark(step)
        for each in statements:
            if each.lstrip() == _LEAVES:
                yield from (f"    {hook}" for hook in end)
            yield each
        if self.first_account is not None:
            yield self.mark(step) if self.is_watched else _mark(BETWEEN)
        yield from end
        yield from in_order

    def in_order(self, kernel: Kernel) -> tuple[str, ...]:
        """A statement that no access to memory is moved over, around a kernel for which compilers
        would do so: one of a core that is known for it, or one that calls pieces of such a core."""
        features = self.schedule.program.features
        if not qualifiers_of(features).keeps_order:
            return ()
        core, files = core_of(features), files_for(kernel.runtime, features)
        is_for = core.needs <= kernel.requires or any(
            file.is_relative_to(core.folder) for file in files
        )
        return (_IN_ORDER,) if is_for else ()

    @property
    def hooks(self) -> tuple[str, str]:
        """The macros before and after each node."""
        return f"{self.prefix.upper()}NODE_BEGIN", f"{self.prefix.upper()}NODE_END"

    @property
    def hooked_nodes(self) -> list[tuple[int, str]]:
        """(number in the model's file, operator) of each node that hooks are called for."""
        steps = self.schedule.program.steps if self.has_hooks else ()
        return sorted({step.node.index: operator_name(step.node.op) for step in steps}.items())

    def _hooks_of(self, step: Step) -> tuple[tuple[str, ...], tuple[str, ...]]:
        if not self.has_hooks:
            return (), ()
        begin, end = (f"{hook}({step.node.index});" for hook in self.hooks)
        return (begin,), (end,)

    @property
    def beginning(self) -> tuple[str, ...]:
        """The statement where an inference begins, for a runner that reads what its steps make."""
        return (_mark(BETWEEN),) if self.is_watched else ()

    @property
    def counts(self) -> bool:
        """Whether the code has marks between which a profile counts."""
        return self.first_account is not None and not self.is_watched

    @property
    def sums(self) -> str:
        return self.state("sums")

    def address(self, tensor: int, *, pointer: str = "int8_t *") -> str:
        """The address of a tensor; `pointer` is the type that a caller's memory is taken for."""
        layout = self.schedule.program.layouts[tensor]
        return self.buffer_address(layout.buffer, layout.offset_bytes, pointer=pointer)

    def pointer(self, tensor: int, *, const: str = "") -> str:
        """The same as a pointer to the tensor's elements."""
        return self.elements(tensor, self.address(tensor, pointer=f"{const}int8_t *"), const=const)

    def elements(self, tensor: int, address: str, *, const: str = "") -> str:
        """An address of bytes as one of a tensor's elements."""
        dtype = self.schedule.program.graph.tensors[tensor].dtype
        if dtype is DType.INT8:
            return address
        return f"({const}{dtype.c_type} *)({const}void *)({address})"

    def buffer_address(self, buffer: int, first: int = 0, *, pointer: str = "int8_t *") -> str:
        """A byte of a buffer."""
        region, offset = self.plan.region(buffer), self.plan.offsets[buffer] + first
        if region == MAIN:
            return self.main_address(offset, pointer=pointer)
        return moved(self._array(region), offset)

    def shelf_address(self, task: Task, first: int) -> str:
        """A byte of the shelf of a stream in pieces."""
        return self.buffer_address(task.shelf.tensor, task.shelf.shelf_at + first)

    def symbol_of(self, buffer: int) -> tuple[str, int]:
        """The C symbol whose memory a buffer is in, and from which byte on."""
        region, offset = self.plan.region(buffer), self.plan.offsets[buffer]
        if region == MAIN:
            return self.main_arena, offset - self.apart_bytes
        return self._array(region), offset

    def _array(self, region: str) -> str:
        """The C symbol of a region that is not the main arena."""
        return f"{self.prefix}kept" if region == KEPT else f"{self.prefix}arena_{region}"

    def main_address(self, offset: int, *, pointer: str = "int8_t *") -> str:
        """A byte of the main arena."""
        converted = f"({pointer})" if self.arena is ArenaMode.CALLER else ""
        return moved(f"{converted}{self.main_arena}", offset - self.apart_bytes)

    @property
    def has_phase(self) -> bool:
        """Whether row 0 of the caller's is in another slot than the first."""
        ring = self.schedule.pushed_ring
        return ring is not None and ring.phase > 0

    def row(self, ring: Ring, counter: str) -> str:
        """A row in its ring, as a pointer to the tensor's elements."""
        return self.elements(ring.tensor, self.row_address(ring, counter))

    def row_address(self, ring: Ring, counter: str) -> str:
        """The same as an address of bytes."""
        turned = f"({counter} + {ring.phase})" if ring.phase else counter
        slot = counter if ring.is_whole else f"{turned} % {ring.capacity}"
        if ring.capacity == 1:
            return self.address(ring.tensor)
        product = slot if ring.is_whole else f"({slot})"
        return moved(self.address(ring.tensor), f"{product} * {ring.slot_bytes}")


def _mark(account: int) -> str:
    return f"TINYML_AT({account:#x});" if account >= GOES_ON else f"TINYML_AT({account});"


def names_of(
    schedule: Schedule, plan: MemoryPlan, interface: Interface, around: Surroundings = NOTHING
) -> Names:
    """How the model's own functions call things."""
    return Names(
        schedule,
        plan,
        f"{interface.name}_",
        interface.arena,
        first_account=BETWEEN + 1 if around.is_marked or around.is_watched else None,
        is_watched=around.is_watched,
        is_annotated=around.is_annotated,
        has_hooks=around.has_hooks,
        in_constant_time=around.in_constant_time,
        has_loop_limits=around.has_loop_limits,
    )
