"""EMBEDDING_LOOKUP: rows of a table."""

from tinyml_rules.ops._shared.gathering import meanings
from tinyml_rules.ops._shared.operator import Op
from tinyml_rules.ops.embedding_lookup.op import TABLE, check, gathering, layout, oracle

OP = Op(
    name="embedding_lookup",
    builtin_code=7,
    input_counts=range(2, 3),
    summary="any type, the table's and the output's; int32 row numbers, constant or computed and "
    "then kept inside",
    layout=layout,
    meanings=meanings(check, oracle, gathering, TABLE),
)
