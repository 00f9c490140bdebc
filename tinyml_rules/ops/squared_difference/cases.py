"""Cases of SQUARED_DIFFERENCE: types, shapes, scales, ties and what is refused."""

from __future__ import annotations

from hypothesis import strategies as st

from tinyml_rules.ops._shared.cases.arithmetic import (
    WITH_INT16,
    arithmetic_models,
    arithmetic_rejected,
    arithmetic_samples,
    scale_cases,
)
from tinyml_rules.ops._shared.cases.case import Rejected, with_tensor
from tinyml_rules.ops._shared.cases.pairs import broadcast_cases, every_pair, pair
from tinyml_rules.ops._shared.cases.shorts import (
    STEP,
    short_pair_models,
    short_pairs,
)

_SCALES = st.sampled_from((0.25, 0.5, 1.0)) | st.floats(2.0**-7, 1.0, width=32)
_POOL = (-1e15, -3.5, -1.0, -0.0, 0.0, 2.0**-50, 1.0, 3.5, 1e15)

_SHORT_SCALES = {
    "usual_scales": (0.003, 0.002, 0.5),
    "equal_scales": (STEP, STEP, 2.0**-7),
    "ties": (1.0, 1.0, 8.0),
    "saturation": (0.03, 0.04, 0.01),
    "scales_far_apart": (1.0, 2.0**-12, 2.0**16),
    "scale_that_vanishes": (1.0, 2.0**-40, 2.0**16),
    "quotient_in_double": (0.3, 0.1, 0.4),
}
"""Of int16: both inputs, and the output."""

CASES = {
    **broadcast_cases(
        "SQUARED_DIFFERENCE", "int8", scales=(0.3, 0.2, 4.0), zero_points=(3, -5, -100)
    ),
    **broadcast_cases("SQUARED_DIFFERENCE", "int32"),
    **broadcast_cases("SQUARED_DIFFERENCE", "float32"),
    **scale_cases("SQUARED_DIFFERENCE"),
    **short_pairs("SQUARED_DIFFERENCE", _SHORT_SCALES),
    "int32_special": every_pair(pair("SQUARED_DIFFERENCE", "int32")),
    "float32_special": every_pair(pair("SQUARED_DIFFERENCE", "float32"), _POOL),
}
SAMPLES = arithmetic_samples(is_ordered=False, dtypes=WITH_INT16)
REJECTED = {
    "int16_output_scale_too_small": Rejected(
        pair("SQUARED_DIFFERENCE", "int16", scales=(1.0, 0.5, 4.0)),
        (
            "output tensor #2 'output' has scale 4, too small for the square of its inputs' "
            "difference",
        ),
    ),
    **arithmetic_rejected("SQUARED_DIFFERENCE", has_activation=False),
    "output_scale_too_small": Rejected(
        with_tensor(pair("SQUARED_DIFFERENCE", "int8", scales=(128.0, 1.0, 1.0)), 2, scales=(2.0,)),
        (
            "output tensor #2 'output' has scale 2, too small for the square of its inputs' "
            "difference",
        ),
    ),
}
MODELS = arithmetic_models(
    "SQUARED_DIFFERENCE", options=None, scales=st.tuples(_SCALES, _SCALES, _SCALES)
) | short_pair_models(
    "SQUARED_DIFFERENCE", factor=lambda first, second: 4 * max(first, second) ** 2
)
