"""Overview -> lines for a terminal: a screen, or everything."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence

from tinyml_rules.ir.graph import NodeView, Tensor
from tinyml_rules.ir.text import node_numbers, operator_name
from tinyml_rules.overview.facts import NodeFacts, Overview, tensor_bytes
from tinyml_rules.overview.words import (
    name_text,
    options_text,
    shape_text,
    short_options,
    tensor_text,
)
from tinyml_rules.reporting.trimming import bits_of

LINE_WIDTH = 100
SCREEN_LINES = 40
MOST_OF_AN_OPERATOR = 28
MOST_OF_A_MODEL = 40
_MARK = "!"
_MARK_OF_CONSTANT = "="
_HEAD = ("node", "operator", "options", "output", "scale", "zero", "params", "MACs")
_LEFT = ("operator", "options", "output")
_GAP = "  "


def screen(found: Overview, *, target_lines: Sequence[str] = ()) -> str:
    """At most SCREEN_LINES of LINE_WIDTH, unless there is much to say of what is not supported."""
    head = [*_head(found), *target_lines]
    room = max(SCREEN_LINES - len(head) - 2, 3)  # a blank line, and the table's own head
    shown = found.nodes if len(found.nodes) <= room else found.nodes[: room - 1]
    lines = [*head, "", *_table(found, shown)]
    hidden = len(found.nodes) - len(shown)
    if hidden:
        lines.append(f"  and {hidden} more nodes; --all shows every node and tensor")
    return "\n".join(lines)


def everything(found: Overview, *, target_lines: Sequence[str] = ()) -> str:
    """The same with every node, its options and tensors, and names in full."""
    lines = [*_head(found), *target_lines]
    for each in found.nodes:
        view = NodeView(found.graph, each.node)
        lines += ["", _node_line(view, each)]
        lines += [
            f"  <- {_operand(tensor)}" if tensor else "  <- left out" for tensor in view.inputs
        ]
        lines += [f"  -> {_operand(tensor)}" for tensor in view.outputs]
    return "\n".join(lines)


def _head(found: Overview) -> Iterator[str]:
    graph = found.graph
    counts = f"{_plural(len(graph.nodes), 'node')}, {_plural(len(graph.tensors), 'tensor')}"
    yield f"{_cut(graph.name, MOST_OF_A_MODEL)}: {counts}, file of {found.file_bytes:,} bytes"
    if graph.others:
        names = ", ".join(
            f"{each.title!r} ({_plural(len(each.nodes), 'node')})"
            for each in (graph, *graph.others)
        )
        yield from field(
            "sub-graphs", f"{1 + len(graph.others)}, of which this is the first: {names}"
        )
    for role, tensors in (("input", graph.inputs), ("output", graph.outputs)):
        for index in tensors:
            yield from field(role, tensor_text(graph.tensors[index], is_short=True))
    macs = f"{'' if found.has_all_macs else 'at least '}{found.macs:,} MACs"
    constants = f"{found.constant_bytes:,} bytes of constants"
    bits = [bits_of(*each.sums) for each in found.nodes if each.sums is not None]
    sums = f", sums of {max(bits)} bits" if bits else ""
    yield from field("totals", f"{found.parameters:,} parameters, {macs}, {constants}{sums}")
    if found.largest is not None:
        text = f"{tensor_bytes(found.largest):,} bytes, {name_text(found.largest, is_short=True)}"
        yield from field("largest", text)
    yield from _support(found)
    for each in found.cautions:
        yield from field("", str(each).replace(f"{graph.name}: ", "", 1))


def _constant(found: Overview) -> str:
    """Nodes that the compiler computes; empty where there are none."""
    count = sum(each.is_constant for each in found.nodes)
    return f"; marked {_MARK_OF_CONSTANT}: {count} that the compiler computes" if count else ""


def _dead(found: Overview) -> str:
    """Channels that no compilation keeps; empty where there are none."""
    trimmed = [each.trimmed for each in found.nodes if each.trimmed is not None]
    count = sum(each.constant + each.unused for each in trimmed)
    nodes = node_numbers([each.node for each in trimmed])
    return f"; {_plural(count, 'dead channel')} left out, at {nodes}" if count else ""


def _support(found: Overview) -> Iterator[str]:
    count, good = len(found.nodes), sum(each.is_supported for each in found.nodes)
    if not found.problems:
        yield from field("operators", f"all are supported{_constant(found)}{_dead(found)}")
        return
    rest = f"; the others are marked {_MARK}" if good < count else ""
    text = f"{good} of {count} nodes are supported{rest}{_constant(found)}"
    yield from field("operators", text)
    for problem in found.problems:
        yield from field("", str(problem).replace(f"{found.graph.name}: ", "", 1))


def field(name: str, text: str) -> Iterator[str]:
    """`  name       text`, in several lines with the same margin where it is long."""
    margin = f"  {name:10} "
    for line in text.splitlines():
        inner = " " * (len(line) - len(line.lstrip()))
        yield from textwrap.wrap(
            line.lstrip(),
            LINE_WIDTH,
            initial_indent=margin + inner,
            subsequent_indent=" " * len(margin) + inner,
            break_on_hyphens=False,
        )
        margin = " " * len(margin)


def _table(found: Overview, nodes: tuple[NodeFacts, ...]) -> Iterator[str]:
    rows = [_HEAD, *(_row(NodeView(found.graph, each.node), each) for each in nodes)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    options = _HEAD.index("options")
    room = LINE_WIDTH - sum(widths) - len(_GAP) * len(widths) + widths[options]
    widths[options] = min(widths[options], max(room, len("options")))
    for row in rows:
        cells = [
            _cut(cell, width).ljust(width) if name in _LEFT else cell.rjust(width)
            for name, cell, width in zip(_HEAD, row, widths, strict=True)
        ]
        yield _GAP.join(cells).rstrip()[:LINE_WIDTH]


def _row(view: NodeView, each: NodeFacts) -> tuple[str, ...]:
    node = each.node
    marks = ((_MARK, not each.is_supported), (_MARK_OF_CONSTANT, each.is_constant))
    mark = "".join(f"{mark} " for mark, is_set in marks if is_set)
    shape = scale = zero_point = ""
    if node.outputs:
        result = view.outputs[0]
        shape = shape_text(result)
        if result.quantization is not None and not result.quantization.is_per_axis:
            scale, zero_point = f"{result.scale:.5g}", str(result.zero_point)
    return (
        f"{mark}{node.index}",
        _cut(node.op, MOST_OF_AN_OPERATOR),
        short_options(view),
        shape,
        scale,
        zero_point,
        f"{each.parameters:,}" if each.parameters else "",
        "?" if each.macs is None else f"{each.macs:,}" if each.macs else "",
    )


def _plural(count: int, word: str) -> str:
    return f"{count:,} {word}" if count == 1 else f"{count:,} {word}s"


def _cut(text: str, width: int) -> str:
    return text if len(text) <= width else f"{text[: width - 2]}.."


def _node_line(view: NodeView, each: NodeFacts) -> str:
    node = each.node
    work = "? MACs" if each.macs is None else f"{each.macs:,} MACs"
    parts = [
        options_text(view),
        work if each.macs != 0 else "",
        f"{each.constant_bytes:,} bytes of constants" if each.constant_bytes else "",
        *_known(each),
        "computed by the compiler" if each.is_constant else "",
        "" if each.is_supported else "not supported",
    ]
    name = operator_name(node.op)
    return f"node {node.index}: {name} (version {node.version}): {'; '.join(filter(None, parts))}"


def _known(each: NodeFacts) -> Iterator[str]:
    if each.trimmed is not None:
        kinds = {"constant": each.trimmed.constant, "unused": each.trimmed.unused}
        gone = " and ".join(f"{count} {kind}" for kind, count in kinds.items() if count)
        yield f"{gone} of {each.trimmed.channels} channels"
    if each.sums is not None:
        yield f"sums from {each.sums[0]:,} to {each.sums[1]:,}"


def _operand(tensor: Tensor) -> str:
    return tensor_text(tensor) + (", constant" if tensor.is_constant else "")
