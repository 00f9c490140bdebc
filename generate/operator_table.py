"""What every operator takes, by its record: types, kernels, what the 8-bit specification asks."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from fractions import Fraction
from pathlib import Path

from tinyml_rules import ops
from tinyml_rules.cores import all_cores
from tinyml_rules.ir.dtype import DType
from tinyml_rules.ir.features import Feature
from tinyml_rules.ops import builtin_operators
from tinyml_rules.ops._shared.operands import Operand
from tinyml_rules.ops._shared.operator import Meaning, Op, Role
from tinyml_rules.reporting.rows import Rows

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
    *(DType.INT8, DType.INT16, DType.FLOAT32, DType.INT32, DType.INT64, DType.UINT8, DType.BOOL),
)
NARROW_WEIGHTS = "int4 weights"
YES, IN_TABLES, FOLDED = "yes", "table", "constants"
"""A kernel, a copy or no code at all; a table of 256 bytes alone, so for float32 between
conversions; where the values are known when the model is compiled."""


def type_rows() -> Rows:
    """A row an operator: its types, what the specification asks of it, and the cores for which it
    has kernels besides the one for every core."""
    return [
        {
            "operator": op.title,
            **{str(dtype): _cell(op, dtype) for dtype in TYPES},
            NARROW_WEIGHTS: YES if any(map(_has_narrow_weights, op.meanings)) else "",
            "8-bit specification": _specified(op) if op.name.upper() in SPECIFICATION else "",
            "kernels of its own for": ", ".join(_owners(op)),
        }
        for op in builtin_operators().in_files
    ]


def _cell(op: Op, dtype: DType) -> str:
    """How an operator takes values of a type."""
    found = [meaning for meaning in op.meanings if dtype in _types_of(op, meaning)]
    if not found:
        return ""
    has_code = op.layout is not None or op.role in (Role.CALL, Role.EFFECT) or op.handling
    if has_code or any(meaning.kernels for meaning in found):
        return YES
    if op.is_map is not Op.is_map:
        return YES if dtype in (DType.INT8, DType.UINT8, DType.BOOL) else IN_TABLES
    return FOLDED


def _types_of(op: Op, meaning: Meaning) -> set[DType]:
    """The element types of its values: those of the operand that is like the result, else of the
    first that is computed, else of the result; all where no operand has rules of types."""
    rules = meaning.operands
    operands = [rules.get(name, Operand()) for name in op.signature.input_names]
    result = next((rules.get(name, Operand()) for name in op.signature.output_names), Operand())
    computed = [each for each in operands if not each.is_constant]
    alike = [
        each
        for name, each in rules.items()
        if each in computed and (result.type_of == name or set(each.types) & set(result.types))
    ]
    types = [each.types or each.scaled for each in (*alike, *computed, result, *operands)]
    return set(next(filter(None, types), TYPES))


def _has_narrow_weights(meaning: Meaning) -> bool:
    return any(DType.INT4 in each.types for each in meaning.operands.values())


def _specified(op: Op) -> str:
    """What the rules of its int8 meaning ask of scales; `yes` where they are free."""
    meaning = next((each for each in op.meanings if DType.INT8 in _types_of(op, each)), None)
    operands = meaning.operands.items() if meaning else ()
    return "; ".join(text for each in operands for text in _restrictions(*each)) or YES


def _restrictions(name: str, rule: Operand) -> Iterator[str]:
    """What a rule asks of an operand's scale and zero point."""
    if rule.fixed is not None:
        scale, zero_point = rule.fixed
        yield f"{name}: scale {Fraction(scale)}, zero point {zero_point}"
    if rule.axis is not None:
        zero = "" if rule.may_have_zero_point else ", zero point 0"
        yield f"{name}: a scale, or one for each index of axis {rule.axis}{zero}"
    elif rule.scale_of:
        yield f"{name}: as {rule.scale_of}"


def _owners(op: Op) -> list[str]:
    """The cores that its kernels are for, and the ways to keep weights."""
    asked = {kernel.requires for kernel in op.kernels}
    of_cores = {feature for core in all_cores().values() for feature in core.needs}
    owners = {name for each in asked for name in _cores_for(each)}
    return sorted(owners) + sorted({feature for each in asked for feature in each} - of_cores)


def _cores_for(features: frozenset[Feature]) -> Iterator[str]:
    """The cores that need some of these features and no other, but for those that one of them is
    preferred to."""
    cores = [core for core in all_cores().values() if core.needs and core.needs <= features]
    beaten = {name for core in cores for name in core.beats}
    yield from (core.name for core in cores if core.name not in beaten)


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
