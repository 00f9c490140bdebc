"""SIGN: -1, 0 or 1, of real numbers and of int32; LiteRT's."""

from tinyml_rules.ops._shared.real_maps import ISLAND, map_op, real_map
from tinyml_rules.ops.sign.op import of_integers
from tinyml_rules.ops.sign.oracle import oracle_of_reals

OP = map_op(
    "sign",
    158,
    real_map(oracle_of_reals),
    of_integers(),
    summary=f"{ISLAND}; int32 between CAST from and to 8 bits",
    options_type=123,
)
