"""Whole models by EVA: for every input and every content of memory, from the first statement of an
inference to the last.

Kernels whose loops would be most of the work are taken by their contracts, which WP proves in the
same run (`taken.py`), and EVA that each call keeps to them.  Weights are any numbers: of their
tables the sizes alone are read.
"""

from __future__ import annotations

import tempfile
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

from proofs.frama_c import TAKEN, Proof, analyse
from proofs.slices import NAME, without_weights
from proofs.taken import row_by_row, taken, without_results
from proofs.units import Unit
from tinyml_rules.compiler import Compiled, compile_model
from tinyml_rules.ir.interface import Interface, Port
from tinyml_rules.lower.choice import Optimize
from tinyml_rules.plan.schedule import Mode
from tinyml_rules.request.request import Request
from tinyml_rules.system.annotated import without_annotations
from tinyml_rules.target.target import load_target

_MAIN = """#include "{name}.c"
{values}
int main(void)
{{
{inputs}
    {name}_invoke();
{outputs}
    return 0;
}}
"""
_VALUE = "volatile {type} any_{accessor};"
_INPUT = "    for (int i = 0; i < {macro}_COUNT; i++) {accessor}()[i] = any_{accessor};"
_OUTPUT = "    for (int i = 0; i < {macro}_COUNT; i++) any_{accessor} = {accessor}()[i];"
_OPTIONS = ("-lib-entry", "-eva-min-loop-unroll", "1000000", "-from-verify-assigns")
"""Memory holds anything when an inference begins; loops are followed to their ends."""
_HINTS = (f"assert {TAKEN}:", "dynamic_split ", "merge ")
"""How annotations in bodies begin that EVA takes, or that tell it which cases to keep apart."""


def annotated_model(model: bytes, optimize: Optimize = Optimize.BALANCED) -> Compiled:
    """The model with the contracts of its functions, as its layers follow each other on the host,
    whose C is that of every processor of 32 bits without instructions of its own."""
    host = load_target("host")
    return compile_model(
        Request(model, NAME, host, schedule=Mode.LAYER, annotated=True, optimize=optimize)
    )


def prove_files(files: Mapping[str, str], interface: Interface, units: Collection[Unit]) -> Proof:
    """Of the annotated C of a model what no function of the units shows that is taken by its
    contract; that these hold is to be proved apart (`prove_all`)."""
    own = (*(port.accessor for port in interface.ports), f"{NAME}_invoke")
    functions = [function for unit in units for function in unit.functions]
    text = without_annotations(
        files[f"{NAME}.c"], but_contracts_of=(*own, *functions), but_hints=_HINTS
    )
    text = row_by_row(without_results(text, units))
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / f"{NAME}.h").write_text(files[f"{NAME}.h"])
        (folder / f"{NAME}.c").write_text(without_weights(text))
        main = folder / "main.c"
        main.write_text(_main(interface))
        return analyse(main, more=_OPTIONS, by_contract=taken(units), proves=own)


def _main(interface: Interface) -> str:
    """A program that fills every input, and reads every output."""

    def lines(ports: Sequence[Port], form: str) -> str:
        each = ((port.accessor, port.c_type) for port in ports)
        return "\n".join(
            form.format(macro=a.upper(), accessor=a, type=c_type) for a, c_type in each
        )

    return _MAIN.format(
        name=NAME,
        values=lines(interface.ports, _VALUE),
        inputs=lines(interface.inputs, _INPUT),
        outputs=lines(interface.outputs, _OUTPUT),
    )
