"""QUANTIZE: real numbers, or numbers quantized otherwise, in an integer type."""

from tinyml_rules.ops._shared.operator import Op, Role
from tinyml_rules.ops.quantize.integers import of_integers
from tinyml_rules.ops.quantize.op import PAIRS
from tinyml_rules.ops.quantize.reals import of_reals

OP = Op(
    name="quantize",
    builtin_code=114,
    options_type=89,
    inputs=("input",),
    summary="float32 to int8, int16 (the caller's at a model input); int8 to int8, uint8, int16, "
    "int32; uint8 to int8; int16 to int8, int16, int32; int32 to int8, int16",
    role=Role.CONVERSION,
    is_map=lambda _view: True,
    meanings=tuple(
        of_reals(result) if source.is_real else of_integers(source, result)
        for source, result in PAIRS
    ),
)
