"""The message for unknown operators: what such a file is, and the way out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tinyml_rules.errors import Problem
from tinyml_rules.ir.graph import Graph
from tinyml_rules.ir.text import CUSTOM_WORD, counted, node_numbers, operator_name

LOOP_HINT = (
    "if this is a recurrent layer (LSTM, GRU), convert it with unroll=True in Keras: then there is "
    "no loop, but plain operators"
)
LIST_HINT = "`tinyml_rules ops` lists those that can be compiled"
_CUSTOM_HINT = (
    "add it: a folder whose __init__.py has OP = Op(name=..., custom_name={name}, ...), and "
    "--operators=DIR with that folder; docs/how-to/custom_operators.md shows one"
)
_FLEX_HINT = (
    "convert without SELECT_TF_OPS: no microcontroller runs TensorFlow's own operators; "
    f"{LIST_HINT}"
)
_RECURRENT_HINT = (
    "give the Keras layer unroll=True and convert again: then it is plain operators; "
    "docs/how-to/int8_models.md shows what else replaces it"
)
_COMPILED_FOR = {
    "ethos-u": "Vela for an Arm Ethos-U",
    "edgetpu-custom-op": "the Edge TPU Compiler for a Coral Edge TPU",
    "NeutronGraph": "the Neutron Converter for an NXP eIQ Neutron NPU",
    "DISPATCH_OP": "LiteRT for the NPU of a phone",
    "XC_": "xcore-opt for an XMOS xcore.ai",
}
"""By name, or its beginning, of a custom operator with an accelerator's program: the compiler that
made it, and the accelerator."""
_LOOPS = ("TensorList", "FlexTensorList")
_FLEX = "Flex"
_RECURRENT = ("LSTM", "RNN")


def missing_operators(graph: Graph, missing: Mapping[str, Sequence[int]]) -> Problem:
    """One message for all of them: the operators by name, each with its nodes."""
    texts = [
        f"{counted(operator_name(op), len(nodes))} ({node_numbers(nodes)})"
        for op, nodes in missing.items()
    ]
    customs = [op.removeprefix(CUSTOM_WORD) for op in missing if op.startswith(CUSTOM_WORD)]
    names = [name.strip("'") for name in customs]
    compiler = next(filter(None, map(_compiler_of, names)), "")
    if compiler:
        what = f"this model was compiled by {compiler} already: {', '.join(texts)}"
        return Problem(graph.name, what, "take the .tflite file that was given to that compiler")
    hint = _hint(missing, names)
    if not hint:
        is_custom = len(customs) == len(missing)
        hint = _CUSTOM_HINT.format(name=customs[0]) if is_custom else LIST_HINT
    return Problem(graph.name, f"missing operators: {', '.join(texts)}", hint)


def _compiler_of(custom: str) -> str:
    found = (text for name, text in _COMPILED_FOR.items() if custom.startswith(name))
    return next(found, "")


def _hint(missing: Mapping[str, Sequence[int]], customs: Sequence[str]) -> str:
    """The hint for common operators that have a way out; empty for others."""
    if any(name.startswith(_LOOPS) for name in customs):
        return LOOP_HINT
    if any(name.startswith(_FLEX) for name in customs):
        return _FLEX_HINT
    if any(operator_name(op).endswith(_RECURRENT) for op in missing):
        return _RECURRENT_HINT
    return ""
