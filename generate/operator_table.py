"""What every operator takes, from the cases that the tests compare with the references.

It needs the packages of `./tinyml check`, because cases draw models too."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from tests.support.operator_cases import cases_of
from tinyml_rules import ops
from tinyml_rules.ir.dtype import DType
from tinyml_rules.model_file.writer import OPTIONAL, ModelSpec
from tinyml_rules.ops import builtin_operators
from tinyml_rules.ops._shared.operator import Op
from tinyml_rules.report.rows import Rows

SPECIFICATION = (
    *("ADD", "ARG_MAX", "AVERAGE_POOL_2D", "BATCH_TO_SPACE_ND", "CONCATENATION", "CONV_2D"),
    *("DEPTHWISE_CONV_2D", "EQUAL", "FULLY_CONNECTED", "GATHER", "GREATER", "GREATER_EQUAL"),
    *("L2_NORMALIZATION", "LESS", "LESS_EQUAL", "LOG_SOFTMAX", "LOGISTIC", "MAX_POOL_2D"),
    *("MAXIMUM", "MEAN", "MINIMUM", "MUL", "NOT_EQUAL", "PAD", "PADV2", "QUANTIZE", "RESHAPE"),
    *("RESIZE_BILINEAR", "SHAPE", "SLICE", "SOFTMAX", "SPACE_TO_BATCH_ND", "SPACE_TO_DEPTH"),
    *("SQUEEZE", "SUB", "SUM", "TANH", "TRANSPOSE"),
)
"""The operators of LiteRT's 8-bit quantization specification."""
OPERATORS = Path(ops.__file__).parent
MOVERS = "what moves elements"
_INCLUDED = re.compile(r'{% include "([^"]+)" %}')
_FIRST_SENTENCE = re.compile(r"(?:{#|/\*) (.*?)\.\s", re.S)
"""Of the comment that a template begins with."""
TYPES = (
    *(DType.INT8, DType.UINT8, DType.INT16, DType.INT32, DType.INT64, DType.BOOL),
    DType.FLOAT32,
)


def type_rows() -> Rows:
    """A row an operator: whether the specification has it, its types, and the features for which
    it has kernels besides the one for every target."""
    return [
        {
            "operator": op.name.upper(),
            "8-bit specification": "yes" if op.name.upper() in SPECIFICATION else "",
            **{str(dtype): "yes" if dtype in types_of(op) else "" for dtype in TYPES},
            "kernels beside that for every target": ", ".join(sorted(features_of(op))) or "",
        }
        for op in builtin_operators().in_files
    ]


def kernel_rows() -> Rows:
    """A row a template: what its C does, and the operators that it serves."""
    rows = []
    for template, names in operators_of_templates().items():
        folder = template.parent.parent.name.strip("_")
        what = _FIRST_SENTENCE.search(template.read_text(encoding="utf-8"))
        assert what is not None, f"{template} begins with no comment"
        rows.append(
            {
                "kernel": f"{folder}/{template.name.removesuffix('.c.j2')}",
                "what it does": " ".join(what[1].replace("\n *", " ").split()),
                "for": ", ".join(name.upper() for name in names) or MOVERS,
            }
        )
    return rows


def operators_of_templates() -> Mapping[Path, list[str]]:
    """Every template of C with the operators whose kernels are made of it."""
    templates = sorted(OPERATORS.glob("*/kernels/*.c.j2"))
    found: dict[Path, list[str]] = {template: [] for template in templates}
    included = {template: _INCLUDED.findall(template.read_text("utf-8")) for template in templates}
    for op in builtin_operators().values():
        kernels = [*op.kernels, *(each.in_rows for each in op.kernels if each.in_rows)]
        texts = {str(value) for kernel in kernels for value in kernel.variant.context.values()}
        used = {kernel.template for kernel in kernels}
        texts |= {name for template in templates if template in used for name in included[template]}
        for template, names in found.items():
            if template in used or template.relative_to(OPERATORS).as_posix() in texts:
                names.append(op.name)
    return found


def types_of(op: Op) -> set[str]:
    """The element types of its cases."""
    models = [case.model for case in cases_of(op.name).values()]
    return {dtype for model in models for dtype in _types_of_model(op, model)}


def features_of(op: Op) -> set[str]:
    """What its kernels ask of a target."""
    return {feature for kernel in op.kernels for feature in kernel.requires}


def _types_of_model(op: Op, model: ModelSpec) -> Iterator[str]:
    """That of the operand which is like the result, else of the first that is computed."""
    for node in model.operators:
        if node.name.lower() != op.name:
            continue
        operands = [model.tensors[index] for index in node.inputs if index != OPTIONAL]
        computed = [tensor.dtype for tensor in operands if tensor.data is None]
        results = [model.tensors[index].dtype for index in node.outputs]
        alike = [dtype for dtype in computed if dtype in results]
        yield from (alike or computed or results)[:1]
