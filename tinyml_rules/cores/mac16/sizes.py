"""What the stack of an Xtensa LX6 has room for.

Measured with single layers: `./tinyml bench model=layers target=xtensa_lx6`.
"""

from __future__ import annotations

from tinyml_rules.cores.mul16s.sizes import BlockSizes, PartSizes
from tinyml_rules.ir.features import Feature

BLOCK = BlockSizes(
    Feature.MAC16,
    least=8,
    most_pixels=6,
    most_halfwords=432,
    spare_pixels=1,
    least_outputs=2,
    least_of_few=16,
    least_of_one_left=9,
    fills_halves=True,
)
PART = PartSizes(Feature.MAC16, part=256, least_of_four=16)
