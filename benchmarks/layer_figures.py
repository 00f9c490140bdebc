"""What the layers of the benchmark set take on a target: one model in a file, many in an image."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from benchmarks.layers import LAYERS
from tests.support.combined import Job, Ran, measure_combined
from tests.support.operator_cases import file_of, graph_of, oracle_bytes, sample_bytes
from tests.support.stages import selected
from tinyml_rules.errors import ToolError
from tinyml_rules.ir.graph import Graph
from tinyml_rules.ops._shared.cases.case import Case, random_case
from tinyml_rules.target.equipment import RUNNER_COUNTS
from tinyml_rules.target.target import Target

TARGETS = (
    *("nrf52840", "mps3_an547", "lm3s6965", "nrf51", "riscv32imc", "xtensa_lx6", "esp8266"),
    "atmega1284p",
)
"""One target of each kind of kernels; AVR's with the most memory."""
SAMPLES = 2


@dataclass(frozen=True)
class LayerRow:
    """A layer on a target.  Memory is that of its object file, without stack: constants and code,
    variables.  `count` is the most that one inference took, in the unit of the target's runner;
    `values` are those of its inputs or of its output, whichever are more."""

    target: str
    layer: str
    unit: str
    count: int
    macs: int
    values: int
    flash_bytes: int
    ram_bytes: int
    estimated_cycles: int | None = None
    """The most, beside instructions, where the core has a table of what they take."""

    @property
    def per_unit_of_work(self) -> float:
        """For each product, or for each value of a layer without any."""
        return self.count / (self.macs or self.values)


def measure_layers(
    target: Target, names: Iterable[str] = LAYERS, *, folder: Path
) -> list[LayerRow]:
    """Compile, build and run the layers named, in `folder`; what exceeds the part is left out.

    Raises ToolError for a tool's failure, and for an output that is not that of the oracles.
    """
    cases = {name: _case(name) for name in names}
    graphs = {name: graph_of(case, name=name) for name, case in cases.items()}
    jobs = [
        Job(name, file_of(case), sample_bytes(case, graphs[name])) for name, case in cases.items()
    ]
    ran = measure_combined(target, jobs, folder=folder, models_of_a_unit=1)
    return [
        _row(target, name, ran[name], cases[name], graphs[name]) for name in cases if name in ran
    ]


def _case(name: str) -> Case:
    whole = random_case(LAYERS[name]())
    return Case(whole.model, tuple(each[:SAMPLES] for each in whole.samples))


def _row(target: Target, name: str, ran: Ran, case: Case, graph: Graph) -> LayerRow:
    if ran.output != oracle_bytes(case, graph):
        raise ToolError.at(f"{name} on {target.name}", "an output is not that of the reference")
    steps = selected(case.model, features=target.features, name=name).steps
    sizes = [graph.tensors[index].count for index in (*graph.inputs, *graph.outputs)]
    return LayerRow(
        target=target.name,
        layer=name,
        unit=RUNNER_COUNTS[target.runner.kind],
        count=max(ran.counts),
        macs=sum(step.macs for step in steps),
        values=max(sizes),
        flash_bytes=ran.flash_bytes,
        ram_bytes=ran.ram_bytes,
        estimated_cycles=max(ran.estimated_cycles, default=None),
    )


def layers_json(rows: Sequence[LayerRow]) -> str:
    """The rows for other programs, a line each."""
    lines = ",\n".join(f"  {json.dumps(asdict(row))}" for row in rows)
    return f"[\n{lines}\n]\n"


def layers_of(text: str) -> list[LayerRow]:
    """The rows in a text of `layers_json`."""
    return [LayerRow(**data) for data in json.loads(text)]


def by_layer(rows: Iterable[LayerRow]) -> Mapping[tuple[str, str], LayerRow]:
    """{(target, layer): row}."""
    return {(row.target, row.layer): row for row in rows}
