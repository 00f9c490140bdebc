"""EMBEDDING_LOOKUP: rows of a table."""

from dataclasses import replace

from tinyml_rules.ops._shared.gathering import meanings
from tinyml_rules.ops._shared.operator import Meaning, Op
from tinyml_rules.ops._shared.quantization import MOVES_FIRST_VERSION
from tinyml_rules.ops.embedding_lookup.op import OPERANDS, check, gathering, layout, makes_real
from tinyml_rules.ops.embedding_lookup.oracle import oracle
from tinyml_rules.ops.embedding_lookup.real import OF_REALS


def _of_elements(meaning: Meaning) -> Meaning:
    """The meaning for rows that stay as they are."""
    return replace(meaning, takes=lambda view: not makes_real(view) and meaning.takes(view))


OP = Op(
    name="embedding_lookup",
    builtin_code=7,
    inputs=("indices", "table"),
    summary="any type, the table's and the output's, or int8 to float32; int32 row numbers, "
    "constant or computed and then kept inside",
    layout=layout,
    meanings=(*map(_of_elements, meanings(OPERANDS, check, oracle, gathering, "table")), OF_REALS),
    quantization=MOVES_FIRST_VERSION,
)
