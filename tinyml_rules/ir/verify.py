"""The rules of every Graph and every Program; breaking one is a bug of this package.

`plan/verify.py` has those of a schedule and its plan, which it replays.
"""

from __future__ import annotations

from tinyml_rules.ir.graph import Graph
from tinyml_rules.ir.program import Form, Program, Step


def verify_graph(graph: Graph) -> None:
    """Assert that tensors are numbered by position, and written once, before they are read."""
    for position, tensor in enumerate(graph.tensors):
        assert tensor.index == position, f"tensor {tensor} stands at {position}"
        assert tensor.data is None or tensor.unread or tensor.data.shape == tensor.shape
        assert tensor.data is None or not tensor.is_variable, f"{tensor} is constant and variable"
    written = {tensor.index for tensor in graph.tensors if tensor.is_constant}
    assert not written.intersection(graph.inputs), "an input is a constant"
    written.update(graph.inputs)
    kept = {tensor.index for tensor in graph.tensors if tensor.is_variable}
    for node in graph.nodes:
        for source in node.inputs:
            is_there = source is None or source in written or source in kept
            assert is_there, f"node {node.index} reads #{source} early"
        for result in node.outputs:
            assert result not in written, f"node {node.index} writes #{result} again"
            written.add(result)
    assert written.issuperset(graph.outputs), "an output is never written"


def verify_program(program: Program) -> None:
    """Assert that every tensor of every step is inside its buffer at a multiple of its element's
    size, that the names of steps are unique, and that only buffers that may be written are."""
    graph, buffers = program.graph, program.buffers
    for index, layout in program.layouts.items():
        tensor, buffer = graph.tensors[index], buffers[layout.buffer]
        end = layout.offset_bytes + tensor.size_bytes
        assert layout.offset_bytes >= 0 and end <= buffer.size_bytes, f"{tensor} leaves its buffer"
        assert layout.offset_bytes % tensor.dtype.size_bytes == 0, f"{tensor} is not aligned"
    for index, buffer in buffers.items():
        assert buffer.tensor in (None, index), f"buffer {index} is named after {buffer.tensor}"
    names = [step.name for step in (*program.steps, *program.resets)]
    assert len(set(names)) == len(names), "two steps have one name"
    for step in program.steps:
        _verify_step(program, step)


def _verify_step(program: Program, step: Step) -> None:
    where = program.graph.where(step.node)
    for index in (*step.tensors, *step.workspace):
        assert index in program.layouts or index in program.buffers, f"{where}: #{index} is nowhere"
    assert set(step.outputs).isdisjoint(program.graph.inputs), f"{where} writes an input"
    assert len(set(step.outputs)) == len(step.outputs), f"{where} writes a tensor twice"
    assert len(step.workspace) == len(step.scratch)
    form = step.kernel.form
    if form is Form.POINTWISE:
        assert step.units % step.chunk == 0, f"{where}: {step.chunk} does not divide {step.units}"
        counts = {program.graph.tensors[index].count for index in step.outputs}
        assert all(count % step.units == 0 for count in counts), f"{where}: units do not divide it"
    for reach in (step.window, step.columns):
        assert (reach is not None) == (form is Form.WINDOW), f"{where}: a window and form {form}"
    assert (form is Form.CALL) == bool(step.calls), f"{where}: calls and form {form}"
