"""Operators that map float32 values one by one.  Between operators that convert from and to 8 bits
they become a table.

Functions of the C library are those of the GNU C library, bit for bit (`arithmetic/real_*`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import wraps
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from tinyml_rules.arithmetic.real_exponential import real_exp
from tinyml_rules.ir.c_struct import NoParams
from tinyml_rules.ir.contract import each_value
from tinyml_rules.ir.graph import Array, NodeView
from tinyml_rules.ir.options import NoOptions
from tinyml_rules.ir.program import Form, Kernel, Work
from tinyml_rules.ir.words import Variant
from tinyml_rules.ops._shared import constraints
from tinyml_rules.ops._shared.operands import real
from tinyml_rules.ops._shared.operator import Meaning, Op, Oracle
from tinyml_rules.ops._shared.pointwise import map_work
from tinyml_rules.ops._shared.quantization import QuantizationRule

Float32Array = npt.NDArray[np.float32]

LOGISTIC = (
    "value > 16.619047f ? 1.0f : value < -9.0f ? @real_exp(value) "
    ": 1.0f / (1.0f + @real_exp(-value))"
)
"""C expression of 1 / (1 + exp(-value)), as `real_logistic` has it."""
_CUT_OFF_ABOVE, _CUT_OFF_BELOW = np.float32(16.619047164916992188), np.float32(-9)


@dataclass(frozen=True, kw_only=True)
class RealMap(Variant):
    """Words of the template."""

    expression: str
    """C expression of `value`, and of `params` if the kernel has them; @ before the name of a piece
    that it calls."""
    called: str
    """Name of the operator in the comment."""
    takes_params: bool
    """Whether the kernel has params."""


REAL_MAP = {"input": real(), "output": real(shape="input")}
"""Operands of an operator from float32 to float32."""


def in_order(values: Float32Array) -> Float32Array:
    """The sums along the last dimension, value after value in float32; the dimension is kept."""
    return np.add.accumulate(values, axis=-1)[..., -1:]


def in_float32(function: Callable[[Float32Array, Any], Array]) -> Oracle:
    """The oracle from a function of float32 values and the node's options."""

    @wraps(function)
    def oracle(view: NodeView, values: Mapping[int, Array]) -> Array:
        source = values[view["input"].index].astype(np.float32)
        with np.errstate(all="ignore"):  # infinities and NaN are valid results here
            return np.asarray(function(source, view.node.attrs)).astype(np.float32)

    return oracle


def real_logistic(values: Float32Array) -> Float32Array:
    """`reference_ops::Logistic` of TFLM: each step in float32, with two shortcuts."""
    one, inside = np.float32(1), plain_logistic(values)
    below = np.where(values < _CUT_OFF_BELOW, real_exp(values), inside)
    return np.where(values > _CUT_OFF_ABOVE, one, below)


def plain_logistic(values: Float32Array) -> Float32Array:
    """The same without them."""
    one = np.float32(1)
    with np.errstate(over="ignore"):
        return one / (one + real_exp(-values))


def real_map(oracle: Oracle) -> Meaning:
    """The meaning for float32."""
    return Meaning(takes=constraints.takes_real, operands=REAL_MAP, oracle=oracle)


def real_kernel(
    meaning: Meaning,
    name: str,
    expression: str,
    *,
    calls: tuple[str, ...] = (),
    params_of: Callable[[NodeView], object] | None = None,
) -> Meaning:
    """The same with a kernel: a C expression of `value`, and of the params if it has some.

    It calls the pieces of emit/runtime in `calls` by their names with @ before them, and no
    function of the C library: C libraries differ in the bits of their functions."""
    kernel = Kernel(
        name=f"{name}_real",
        template=Path(__file__).parent / "kernels" / "real_map.c.j2",
        form=Form.POINTWISE,
        is_in_place=True,
        runtime=calls,
        contract=None if calls else each_value(),
        variant=RealMap(
            expression=expression, called=name.upper(), takes_params=params_of is not None
        ),
    )

    def prepare(view: NodeView) -> Work:
        return map_work(view, params_of(view) if params_of is not None else NoParams())

    return replace(meaning, prepare=prepare, kernels=(kernel,))


def map_op(
    name: str,
    code: int,
    *meanings: Meaning,
    summary: str,
    options_type: int = 0,
    attrs: type = NoOptions,
    quantization: QuantizationRule | None = None,
) -> Op:
    """An operator whose nodes all map values one by one."""
    return Op(
        name=name,
        builtin_code=code,
        options_type=options_type,
        attrs=attrs,
        inputs=("input",),
        summary=summary,
        is_map=lambda _view: True,
        quantization=quantization,
        meanings=meanings,
    )
