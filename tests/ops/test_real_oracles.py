"""The meaning of every operator for real numbers is that of LiteRT's float kernels: its cases, with
float32 in the place of what is quantized."""

from __future__ import annotations

import re

import numpy as np
import pytest
from ai_edge_litert.interpreter import OpResolverType

from tests.support.litert import litert_outputs
from tests.support.operator_cases import OPERATORS, cases_of
from tests.support.stages import read
from tinyml_rules.ir.graph import Array, Graph
from tinyml_rules.model_file.writer import build_model
from tinyml_rules.ops import builtin_operators
from tinyml_rules.ops._shared.cases.case import Case
from tinyml_rules.ops._shared.cases.reals import in_reals
from tinyml_rules.ops._shared.interpreter import first_values, run_graph
from tinyml_rules.passes.check import problems_of

RELATIVE = 1e-5
LEAST_STEP = 2.0**-149
"""Between neighbours among the smallest numbers, which have few bits."""
FLOORS = {
    "gelu": 2.0**-22,
    "svdf": 2.0**-20,
    **{f"unidirectional_sequence_{each}": 2.0**-22 for each in ("lstm", "rnn")},
}
"""Of the largest input: below 0 GELU multiplies it with 1 + tanh, a difference of numbers near 1,
so that a tanh that is off by one step of float32 is seen as it is; the others' sums, which LiteRT
adds up in another order, are near 0 where terms cancel."""
NOT_OF_THE_REFERENCE = frozenset(("ceil", "elu", "round"))
"""LiteRT has no reference kernels for them: its usual ones, without a delegate, stand in."""
WITHOUT_REALS = frozenset(
    (
        *("assign_variable", "broadcast_args", "call_once", "circular_buffer", "logical_and"),
        *("logical_not", "logical_or", "quantize", "read_variable", "reduce_all", "reduce_any"),
        *("tflm_decode", "var_handle", "while"),
    )
)
"""What has no meaning for real numbers or is no more than a conversion, and WHILE, whose cases
count with integers."""
OF_TFLM = frozenset(each for each in OPERATORS if each.startswith("signal_"))
"""LiteRT has none of them; their cases, of real numbers too, are compared with TFLM."""
UNDEFINED = {"cast": re.compile("float32_to_u?int")}
"""Cases with numbers beyond the other type, with which a C compiler may do what it likes."""
FEWER_IN_LITERT = {
    "conv_2d": ("stride_height <= INT16_MAX", "has_bias was not true"),
    "depthwise_conv_2d": ("stride_width <= INT16_MAX",),
    "reshape": ("num_input_elements != num_output_elements",),
    "tflm_decode": ("unresolved custom op",),
    "transpose_conv": ("number of elements overflowed",),
    "while": ("cond_output->dims->size != 1",),
}
"""What LiteRT refuses, and TFLM does: strides of 16 bits, CONV_2D without a bias, options that say
another shape, an operator of its own, a shape that is not constant, conditions of several
dimensions."""


def real_cases(operator: str) -> dict[str, Case]:
    """Those with real numbers in them, all of them finite, and what they are defined for."""
    undefined = UNDEFINED.get(operator)
    found = {name: in_reals(case) for name, case in cases_of(operator).items()}
    return {
        name: case
        for name, case in found.items()
        if case.model.operators
        and any(tensor.dtype == "float32" for tensor in case.model.tensors)
        and all(np.isfinite(each).all() for each in case.samples if each.dtype == np.float32)
        and not (undefined and undefined.search(name))
    }


def oracle_outputs(graph: Graph, case: Case) -> list[Array]:
    """Of each output all samples, by the operators' meanings."""
    rows = []
    state = first_values(graph)
    for row in zip(*case.samples, strict=True):
        values = {
            **(state if case.is_sequence else first_values(graph)),
            **dict(zip(graph.inputs, row, strict=True)),
        }
        rows.append(run_graph(graph, builtin_operators(), values))
        state = {index: values[index] for index in state}
    return [np.stack(column) for column in zip(*rows, strict=True)]


def are_alike(operator: str, found: Array, expected: Array, size: float) -> bool:
    """Whether numbers are equal, up to the tolerance where they are real; `size`: of the inputs."""
    if found.dtype != np.float32:
        return np.array_equal(found, expected)
    with np.errstate(invalid="ignore"):
        wide, right = found.astype(np.float64), expected.astype(np.float64)
        floor = max(LEAST_STEP, FLOORS.get(operator, 0) * size)
        is_near = np.abs(wide - right) <= RELATIVE * np.abs(right) + floor
    return bool(np.all(is_near | (wide == right) | (np.isnan(wide) & np.isnan(right))))


@pytest.mark.parametrize("operator", [each for each in OPERATORS if each not in OF_TFLM])
def test_litert(operator: str) -> None:
    """Within 1e-5 of each number; a case is left out where `check` refuses it as real numbers."""
    resolver = OpResolverType.BUILTIN_REF
    if operator in NOT_OF_THE_REFERENCE:
        resolver = OpResolverType.BUILTIN_WITHOUT_DEFAULT_DELEGATES
    wrong, compared = [], 0
    for name, case in real_cases(operator).items():
        graph = read(case.model)
        if problems_of(graph, builtin_operators(), needs_kernels=False):
            continue
        try:
            expected = litert_outputs(
                build_model(case.model),
                case.samples,
                is_sequence=case.is_sequence,
                resolver=resolver,
            )
        except (RuntimeError, ValueError) as error:
            assert any(each in str(error) for each in FEWER_IN_LITERT.get(operator, ())), name
            continue
        compared += 1
        size = max(np.abs(each).max(initial=0) for each in case.samples)
        pairs = zip(oracle_outputs(graph, case), expected, strict=True)
        # LiteRT gives vectors of computed weights without the dimensions before the last one
        shaped = [(found, right.reshape(found.shape)) for found, right in pairs]
        if not all(are_alike(operator, *pair, size) for pair in shaped):
            wrong.append(name)
    assert not wrong
    assert bool(compared) == (operator not in WITHOUT_REALS)
