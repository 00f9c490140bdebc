"""MAXIMUM: the greater of two values, broadcast where their shapes differ."""

from dataclasses import replace

from tinyml_rules.ops._shared.extremum import extremum
from tinyml_rules.ops._shared.quantization import MOVES
from tinyml_rules.ops.maximum.oracle import oracle

OP = extremum(
    "maximum",
    builtin_code=55,
    operator=">",
    oracle=oracle,
    quantization=replace(MOVES, takes_greatest=True),
)
