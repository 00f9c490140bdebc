"""Whole models by EVA: for every input and every content of memory, from the first statement of an
inference to the last.

`dot_product`, whose loop would be most of the work, is taken by its contract: WP proves that
(`./tinyml prove kernels`), and EVA that each call keeps to it.  Weights are any numbers: of their
tables the sizes alone are read.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Mapping
from pathlib import Path

from proofs.frama_c import Proof, analyse
from proofs.slices import NAME
from tinyml_rules.compiler import Compiled, compile_model
from tinyml_rules.ir.interface import Interface
from tinyml_rules.lower.choice import Optimize
from tinyml_rules.plan.schedule import Mode
from tinyml_rules.request.request import Request
from tinyml_rules.system.annotated import without_annotations
from tinyml_rules.target.target import load_target

BY_CONTRACT = "dot_product"
"""The piece that is taken by its contract."""
_MAIN = """#include "{name}.c"
volatile long any_value;
int main(void)
{{
{inputs}
    {name}_invoke();
{outputs}
    return 0;
}}
"""
_INPUT = """    for (int i = 0; i < {macro}_COUNT; i++) {accessor}()[i] = any_value;"""
_OUTPUT = """    for (int i = 0; i < {macro}_COUNT; i++) any_value = {accessor}()[i];"""
_WEIGHTS = re.compile(r"^static (const int8_t \w+_weights\[\d+\]) = \{[^}]*\};$", re.MULTILINE)
_OPTIONS = ("-lib-entry", "-eva-min-loop-unroll", "1000000", "-from-verify-assigns")
"""Memory holds anything when an inference begins; loops are followed to their ends."""


def prove_model(model: bytes, optimize: Optimize = Optimize.BALANCED) -> Proof:
    """The model as its layers follow each other on the host, whose C is that of every processor of
    32 bits without instructions of its own."""
    compiled = annotated_model(model, optimize)
    return prove_files(compiled.files, compiled.interface)


def annotated_model(model: bytes, optimize: Optimize = Optimize.BALANCED) -> Compiled:
    """The model with the contracts of its functions."""
    host = load_target("host")
    return compile_model(
        Request(model, NAME, host, schedule=Mode.LAYER, annotated=True, optimize=optimize)
    )


def prove_files(files: Mapping[str, str], interface: Interface) -> Proof:
    """The same, of the annotated C of a model."""
    own = (*(port.accessor for port in interface.ports), f"{NAME}_invoke")
    taken = f"{NAME}_{BY_CONTRACT}"
    text = without_annotations(files[f"{NAME}.c"], but_contracts_of=(*own, taken))
    has_it = f"{taken}(" in text
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / f"{NAME}.h").write_text(files[f"{NAME}.h"])
        (folder / f"{NAME}.c").write_text(_WEIGHTS.sub(r"extern \1;", text))
        main = folder / "main.c"
        main.write_text(_main(interface))
        by_contract = taken if has_it else ""
        return analyse(main, more=_OPTIONS, by_contract=by_contract, proves=own)


def _main(interface: Interface) -> str:
    """A program that fills every input, and reads every output."""
    sides = {}
    for side, line in (("inputs", _INPUT), ("outputs", _OUTPUT)):
        ports = (port.accessor for port in getattr(interface, side))
        sides[side] = "\n".join(line.format(macro=each.upper(), accessor=each) for each in ports)
    return _MAIN.format(name=NAME, **sides)
