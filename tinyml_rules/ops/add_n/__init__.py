"""ADD_N: the sum of two or more tensors of one shape."""

from tinyml_rules.ir.c_struct import NoParams
from tinyml_rules.ir.dtype import DType
from tinyml_rules.ops._shared.broadcast import has_single_constants, inputs_of, value_work
from tinyml_rules.ops._shared.operands import int8, real
from tinyml_rules.ops._shared.operator import Meaning, Op
from tinyml_rules.ops._shared.value_kernels import Values, equal_shapes_kernel
from tinyml_rules.ops.add_n.op import (
    MOST_INPUTS,
    check_count,
    check_quantized,
    oracle_of_float32,
    oracle_of_int8,
    params_of,
    takes,
)

_TEMPLATE = "add_n/kernels/value.c.j2"
_COUNTS = range(2, MOST_INPUTS + 1)


def _int8(count: int) -> Meaning:
    values = Values(_TEMPLATE, operands=("int8_t",) * count, runtime=("requantize",))
    return Meaning(
        takes=takes(DType.INT8, count),
        operands={"input": int8(shape="output"), "output": int8()},
        check=check_quantized,
        oracle=oracle_of_int8,
        prepare=lambda view: value_work(view, inputs_of(view), params_of(view), constants=()),
        kernels=(equal_shapes_kernel(f"add_{count}", values),),
    )


def _float32(count: int) -> Meaning:
    values = Values(_TEMPLATE, operands=("float",) * count, result="float", takes_params=False)
    return Meaning(
        takes=takes(DType.FLOAT32, count),
        operands={"input": real(shape="output"), "output": real()},
        oracle=oracle_of_float32,
        prepare=lambda view: value_work(view, inputs_of(view), NoParams(), constants=()),
        kernels=(equal_shapes_kernel(f"add_{count}_float32", values),),
    )


OP = Op(
    name="add_n",
    builtin_code=106,
    options_type=82,
    inputs=("input+",),
    options=check_count,
    summary=f"int8 in one quantization, float32; 2 to {MOST_INPUTS} inputs of one shape",
    is_map=has_single_constants,
    meanings=(*map(_int8, _COUNTS), *map(_float32, _COUNTS)),
)
