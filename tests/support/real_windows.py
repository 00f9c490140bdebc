"""All operators that slide a window over real numbers, one after the other."""

from __future__ import annotations

from tinyml_rules.ops._shared.cases.pooling import pool
from tinyml_rules.ops._shared.cases.reals import real_model
from tinyml_rules.ops.conv_2d.cases import conv
from tinyml_rules.ops.depthwise_conv_2d.cases import depthwise

IMAGE, RESULT = (1, 9, 7, 2), (1, 3, 4, 3)
"""What the first takes, and what the last makes."""
LAYERS = tuple(
    map(
        real_model,
        (
            conv(IMAGE, strides=(2, 1)),
            depthwise((1, 5, 7, 3)),
            pool("MAX_POOL_2D", (1, 5, 7, 3), (2, 2), strides=(1, 1)),
            pool("AVERAGE_POOL_2D", (1, 5, 7, 3), (3, 2)),
        ),
    )
)
