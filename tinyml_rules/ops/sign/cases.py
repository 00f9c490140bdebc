"""Cases of SIGN: every value by itself and between conversions, and what is refused."""

from __future__ import annotations

from tinyml_rules.model_file.writer import ModelSpec, OperatorSpec
from tinyml_rules.ops._shared.cases.case import (
    Reference,
    Rejected,
    model_of,
    quantized,
    typed,
)
from tinyml_rules.ops._shared.cases.real_maps import (
    alone_cases,
    island_cases,
    map_models,
    values_case,
)


def _of_integers() -> ModelSpec:
    """SIGN of int32 between CAST from and to int8."""
    tensors = (
        quantized("input", (1, 64)),
        typed("before", (1, 64), "int32"),
        typed("behind", (1, 64), "int32"),
        quantized("output", (1, 64)),
    )
    names = ("CAST", "SIGN", "CAST")
    operators = tuple(
        OperatorSpec(name, (place,), (place + 1,)) for place, name in enumerate(names)
    )
    return ModelSpec(tensors, operators, inputs=(0,), outputs=(3,))


_INT32 = model_of("SIGN", (typed("input", (1, 64), "int32"),), typed("output", (1, 64), "int32"))

CASES = {
    **island_cases("SIGN", reference=Reference.LITERT),
    **alone_cases("SIGN", reference=Reference.LITERT),
    "of_integers": values_case(_of_integers(), reference=Reference.LITERT),
}
SAMPLES = ("alone",)
REJECTED = {
    "integers_alone": Rejected(
        _INT32,
        (
            "tensor #0 'input' is int32, supported only between operators that convert from and "
            "to 8 bits",
        ),
    ),
}
MODELS = map_models("SIGN", is_island=True, reference=Reference.LITERT)
