"""Whole models by EVA: for every input, from the first statement of an inference to the last."""

from __future__ import annotations

import tempfile
from pathlib import Path

from proofs.frama_c import Proof, analyse
from proofs.units import NAME
from tinyml_rules.compiler import compile_model
from tinyml_rules.plan.schedule import Mode
from tinyml_rules.request.request import Request
from tinyml_rules.target.target import load_target

_MAIN = """#include "{name}.c"
volatile int8_t any_value;
int main(void)
{{
{inputs}
    {name}_invoke();
    return 0;
}}
"""
_INPUT = """    int8_t *const {accessor}_values = (int8_t *){accessor}();
    for (int i = 0; i < (int){count}; i++) {accessor}_values[i] = any_value;"""


def prove_model(model: bytes) -> Proof:
    """The model as its layers follow each other on the host, whose C is that of every processor of
    32 bits without instructions of its own."""
    request = Request(model, NAME, load_target("host"), schedule=Mode.LAYER)
    compiled = compile_model(request)
    inputs = []
    for port in compiled.interface.inputs:
        size = 1
        for each in port.shape:
            size *= each
        inputs.append(_INPUT.format(accessor=port.accessor, count=size))
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for file, text in compiled.files.items():
            (folder / file).write_text(text)
        main = folder / "main.c"
        main.write_text(_MAIN.format(name=NAME, inputs="\n".join(inputs)))
        return analyse(main)
