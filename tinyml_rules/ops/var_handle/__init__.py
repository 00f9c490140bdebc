"""VAR_HANDLE: a variable by its name; `passes/resolve_variables.py` takes it away."""

from tinyml_rules.ops._shared.operator import Handling, Meaning, Op, Role
from tinyml_rules.ops._shared.variables import no_meaning
from tinyml_rules.ops.var_handle.op import Attrs, oracle

OP = Op(
    name="var_handle",
    builtin_code=142,
    options_type=111,
    attrs=Attrs,
    inputs=(),
    summary="a variable, which keeps its values from one inference to the next",
    role=Role.EFFECT,
    handling=Handling.NAMES,
    meanings=(Meaning(operands={}, check=no_meaning, oracle=oracle),),
)
