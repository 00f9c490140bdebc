"""Operator folders outside the package, and models that have their operators."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from textwrap import dedent

from flatbuffers import flexbuffers

from tests.conftest import PROJECT
from tinyml_rules.model_file.writer import ModelSpec, OperatorSpec, TensorSpec, build_model

EXAMPLE = PROJECT / "examples" / "custom_operator"
INIT = '''
    """GAIN: each value times a whole number, clamped."""

    from pathlib import Path

    from tinyml_rules.ir.program import Form, Kernel
    from tinyml_rules.ops._shared.operator import Meaning, Op, c_function

    from .op import OPERANDS, Options, check, oracle, prepare

    OP = Op(
        name="gain",
        custom_name="Gain",
        attrs=Options,
        inputs=("input",),
        summary="a test",
        meanings=(
            Meaning(OPERANDS, oracle, prepare, kernels=({kernel},), check=check),
        ),
    )
'''
TEMPLATE_KERNEL = (
    'Kernel(name="gain", template=Path(__file__).parent / "gain.c.j2", form=Form.WHOLE)'
)
OP = '''
    """Its options, constants and meaning."""

    from dataclasses import dataclass

    import numpy as np

    from tinyml_rules.ir.c_struct import Int8, Int
    from tinyml_rules.ir.program import Work
    from tinyml_rules.ops._shared.operands import Operand
    from tinyml_rules.ops._shared.pointwise import row_of


    @dataclass(frozen=True)
    class Options:
        factor: int
        is_loud: bool = False


    @dataclass(frozen=True)
    class Params:
        factor: Int8
        count: Int


    OPERANDS = {"input": Operand(), "output": Operand()}


    def check(view):
        if view["input"].shape != view.output.shape:
            yield "shapes differ"


    def prepare(view):
        return Work(
            params=Params(view.node.attrs.factor, view.output.count),
            inputs=(view["input"].index,),
            outputs=(view.output.index,),
            units=view.output.count,
            chunk=row_of(view.output.shape),
        )


    def oracle(view, values):
        scaled = values[view["input"].index].astype(np.int64) * view.node.attrs.factor
        return np.clip(scaled, -128, 127).astype(np.int8)
'''
TEMPLATE = """\
{{ struct }}

static void {{ kernel }}(const struct {{ kernel }}_params {{ flash }}*params,
    const int8_t *input, int8_t *output)
{
    for (int i = 0; i < params->count; i++) {
        const int value = input[i] * params->factor;
        output[i] = (int8_t)(value > 127 ? 127 : value < -128 ? -128 : value);
    }
}
"""


def write_gain(
    folder: Path,
    *,
    kernel: str = TEMPLATE_KERNEL,
    changes: Mapping[str, tuple[str, str]] | None = None,
) -> Path:
    """An operator folder; `changes`: in a file, what is replaced by what."""
    folder.mkdir(parents=True)
    texts = {
        "__init__.py": dedent(INIT.format(kernel=kernel)).lstrip(),
        "op.py": dedent(OP).lstrip(),
        "gain.c.j2": TEMPLATE,
    }
    for name, (before, after) in (changes or {}).items():
        assert before in texts[name]
        texts[name] = texts[name].replace(before, after)
    for name, text in texts.items():
        (folder / name).write_text(text)
    return folder


def options_bytes(**options: object) -> bytes:
    """A FlexBuffer map."""
    return bytes(flexbuffers.Dumps(options))


def gain_model(options: bytes | None = None, *, dtype: str = "int8") -> bytes:
    """Input -> GAIN -> output, 4 values."""
    source = TensorSpec("a", (1, 4), dtype, (0.5,), (0,))
    tensors = (source, replace(source, name="b"))
    node = OperatorSpec(
        "CUSTOM",
        (0,),
        (1,),
        custom_code="Gain",
        custom_options=options_bytes(factor=3) if options is None else options,
    )
    return build_model(ModelSpec(tensors, (node,), inputs=(0,), outputs=(1,)))
