"""Program -> the same program with groups: consecutive steps as one, which makes its rows without
the tensors between them (`ir/group.py`).

The windows of a group work on small images, of the output pixels that are made at a time, which
have their padding in them: a kernel is chosen for each as for any image of that size.  The other
steps keep theirs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from tinyml_rules.ir.buffers import Buffer, Scratch
from tinyml_rules.ir.dtype import DType
from tinyml_rules.ir.features import Feature
from tinyml_rules.ir.graph import Node, NodeView, Tensor
from tinyml_rules.ir.group import GroupParams, Member, group_of, made_pixels
from tinyml_rules.ir.program import Form, Kernel, Program, Step
from tinyml_rules.ir.window import Reach, Window
from tinyml_rules.lower.choice import WEIGHT_FEATURES, Choice, candidates
from tinyml_rules.lower.rounding import rounded_like
from tinyml_rules.lower.select import step_of
from tinyml_rules.ops._shared.operator import Operators

OPERATOR = "group"
"""What reports call the node of a group."""
TEMPLATE = Path(__file__).parent / "group.c.j2"
_IMAGE = 4
"""Dimensions: batch, height, width, channels."""
_WORD = 4
"""Bytes to which columns are aligned, where a target has words."""

Span = tuple[int, int]
"""The first step of a group, and the one after its last."""


AtOnce = Mapping[Span, int]
"""How many pixels groups make at a time (`Grouping.group`), where that is more than one."""

_Inner = tuple[Member, Step]
"""A step of a group, and how it is called."""


@dataclass(frozen=True, eq=False)
class Grouping:
    """Makes groups of a program's steps; `choice` is what the kernels of the program go by."""

    program: Program
    operators: Operators
    choice: Choice
    _members: dict[tuple[int, int], _Inner | None] = field(default_factory=dict)
    _groups: dict[tuple[Span, int], Step | None] = field(default_factory=dict)

    def member(self, place: int, at_once: int = 1) -> _Inner | None:
        """The step at a place as one of a group, which makes so many pixels at a time; None where
        it can be none."""
        key = place, at_once
        if key not in self._members:
            self._members[key] = self._member(*key)
        return self._members[key]

    def _member(self, place: int, at_once: int) -> _Inner | None:
        step = self.program.steps[place]
        if not self._is_plain(step):
            return None
        if step.kernel.form is Form.POINTWISE:
            return self._pixels(step, at_once)
        return self._window(step, at_once) if step.kernel.form is Form.WINDOW else None

    def _is_plain(self, step: Step) -> bool:
        """One image of int8 from another, each all of its buffer, and nothing else."""
        if len(step.inputs) != 1 or len(step.outputs) != 1:
            return False
        if step.kernel.takes_row and step.kernel.rows_at_once == 1:
            return False
        if step.external or step.packing or step.calls or step.kernel.may_end:
            return False
        tensors = [self.program.graph.tensors[index] for index in step.tensors]
        return (
            all(map(self.program.has_all, step.tensors))
            and all(len(each.shape) == _IMAGE and each.shape[0] == 1 for each in tensors)
            and all(each.dtype is DType.INT8 for each in tensors)
            and self.program.buffer_of(step.output) not in self.program.variables
        )

    def _ends(self, step: Step) -> tuple[Tensor, Tensor]:
        tensors = self.program.graph.tensors
        return tensors[step.inputs[0]], tensors[step.output]

    def _pixels(self, step: Step, at_once: int) -> _Inner | None:
        source, result = self._ends(step)
        _, height, width, _ = result.shape
        if source.shape[1:3] != (height, width) or step.units % (height * width):
            return None
        rows = _alone(height, source.size_bytes, result.size_bytes)
        columns = _alone(width, rows.input_bytes, rows.output_bytes)
        at_once = min(at_once, width)
        units = step.units // (height * width)
        needs = step.kernel.scratch
        some = replace(step, units=units * at_once, chunk=units * at_once, workspace=())
        if len(step.scratch) > 1:
            return None
        if needs is not None:
            some = replace(some, scratch=(needs(some),))
        return Member(rows, columns, False, 0, units, at_once), some

    def _window(self, step: Step, at_once: int) -> _Inner | None:
        assert step.window is not None and step.columns is not None
        rows, columns = step.window.rows, step.columns
        # a group makes one row at a time, by another kernel
        rows = replace(rows, size=rows.size - step.kernel.rows_at_once + 1)
        at_once = min(at_once, columns.outputs)
        zero_point = self._ends(step)[0].zero_point
        member = Member(rows, columns, True, zero_point, at_once=at_once)
        small = self._small(step, member)
        if small is None or rows.divisor != 1 or columns.divisor != 1:
            return None
        return member, small

    def _small(self, step: Step, member: Member) -> Step | None:
        """The step that makes its pixels of the image that its window sees for them."""
        source, result = self._ends(step)
        without_padding = self.operators[step.node.op].without_padding
        if without_padding is None:
            return None
        height = (member.rows.size - 1) * member.rows.dilation + 1
        shapes = {
            source.index: (1, height, member.seen(member.at_once), source.shape[3]),
            result.index: (1, 1, member.at_once, result.shape[3]),
        }
        changed = {
            index: replace(self.program.graph.tensors[index], shape=shape)
            for index, shape in shapes.items()
        }
        whole = NodeView(self.program.graph, step.node)
        node = replace(step.node, attrs=without_padding(whole))
        view = NodeView(self.program.graph, node, changed=changed)
        operator = self.operators[node.op]
        if operator.problems(view):  # taps of its window are never in the image
            return None
        meaning = operator.meaning(view)
        assert meaning.prepare is not None
        work = meaning.prepare(view)
        kernels = [
            each
            for each in candidates(meaning, work, self.program.features - WEIGHT_FEATURES)
            if each.form is Form.WINDOW and not each.takes_row
            if each.has_far_form or not step.kernel.is_far
            if each.pack is None or not each.pack(work).data
        ]
        if not kernels:
            return None
        names = {step.kernel.name.removesuffix("_far"), *step.candidates}
        kernel = replace(self.choice, named={}).of("", "", work, kernels, names)
        small = step_of(node, kernel, work)
        small = rounded_like(replace(small, label=step.label), step, self.program)
        return replace(small, kernel=small.kernel.far_form) if step.kernel.is_far else small

    def joins(self, place: int) -> bool:
        """Whether the step at a place reads nothing but what the one before makes, which nobody
        else reads."""
        program = self.program
        before, step = program.steps[place - 1], program.steps[place]
        tensor = before.output if len(before.outputs) == 1 else None
        readers = [each for each in program.steps if tensor in each.inputs]
        return (
            step.inputs == (tensor,) and readers == [step] and tensor not in program.graph.outputs
        )

    def group(self, span: Span, pixels: int = 1) -> Step | None:
        """The group of some steps, the first of which makes so many pixels at a time, the others
        what they can make of those; None where they are none."""
        key = span, pixels
        if key not in self._groups:
            self._groups[key] = self._group(*key)
        return self._groups[key]

    def _group(self, span: Span, pixels: int) -> Step | None:
        begin, end = span
        found: list[_Inner | None] = []
        for place in range(begin, end):
            reach = self.program.steps[place].columns
            pixels = max(pixels // (reach.stride if found and reach else 1), 1)
            found.append(self.member(place, pixels))
        together = [each for each in found if each is not None]
        is_chain = all(self.joins(place) for place in range(begin + 1, end))
        members = [member for member, _ in together]
        if len(together) < max(len(found), 2) or not is_chain:
            return None
        if not any(member.is_window for member in members):
            return None
        inner = tuple(step for _, step in together)
        return _composite(self.program, inner, members)

    def grouped(self, spans: Sequence[Span], at_once: AtOnce | None = None) -> Program:
        """The program with groups in place of these steps, each of which is one."""
        steps: list[Step] = []
        buffers = dict(self.program.buffers)
        gone: set[int] = set()
        at = 0
        for begin, end in spans:
            group = self.group((begin, end), (at_once or {}).get((begin, end), 1))
            assert group is not None and begin >= at
            steps += self.program.steps[at:begin]
            at = end
            number = max(len(self.program.graph.tensors), *buffers) + 1
            buffers[number] = Buffer(group.scratch[0].size_bytes, group.scratch[0].alignment)
            steps.append(replace(group, workspace=(number,)))
            gone.update(step.output for step in group.inner[:-1])
            gone.update(each for step in self.program.steps[begin:end] for each in step.workspace)
        steps += self.program.steps[at:]
        layouts = self.program.layouts
        return replace(
            self.program,
            steps=tuple(steps),
            layouts={each: layouts[each] for each in layouts if each not in gone},
            buffers={each: buffers[each] for each in buffers if each not in gone},
        )


def _alone(count: int, input_bytes: int, output_bytes: int) -> Reach:
    """Each of so many from the one at its place; bytes of all of them."""
    return Reach(
        inputs=count,
        outputs=count,
        size=1,
        stride=1,
        dilation=1,
        pad_before=0,
        input_bytes=input_bytes // count,
        output_bytes=output_bytes // count,
    )


def _composite(program: Program, inner: Sequence[Step], members: Sequence[Member]) -> Step:
    """The step of a group, but for the number of its scratch buffer."""
    scratch = [each for step in inner for each in step.scratch]
    alignment = max((_WORD, *(each.alignment for each in scratch)))
    if Feature.AVR in program.features:
        alignment = 1
    most = max((each.size_bytes for each in scratch), default=0)
    group = group_of(members, member_scratch=most, alignment=alignment)
    first, last = inner[0], inner[-1]
    label = f"{first.name}_to_{last.name}"
    products = (
        step.macs * pixels // (member.at_once if member.is_window else member.pixels)
        for step, member, pixels in zip(inner, members, made_pixels(group), strict=True)
    )
    node = Node(first.node.index, OPERATOR, 1, first.inputs, last.outputs, None)
    kernel: Kernel[object] = Kernel(
        name=f"group_{label}",
        template=TEMPLATE,
        form=Form.WINDOW,
        runtime=("copy", "fill"),
        takes_row=True,
    )
    return Step(
        node=node,
        kernel=kernel,
        facts=group,
        params=GroupParams(group.across.outputs, Window.of(group.rows, batches=1)),
        inputs=first.inputs,
        outputs=last.outputs,
        alignment=max(step.alignment for step in inner),
        scratch=(Scratch(group.scratch_bytes, alignment),),
        window=Window.of(group.rows, batches=1),
        columns=group.across,
        macs=sum(products),
        label=label,
        inner=tuple(inner),
    )
