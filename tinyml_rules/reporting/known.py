"""What is known of a model, of its firmware or of its run, as budgets are judged by it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from tinyml_rules.ir.buffers import SCRATCH
from tinyml_rules.ir.text import operator_name, short_name
from tinyml_rules.reporting.firmware import Linked, Profile, Run
from tinyml_rules.reporting.record import to_json
from tinyml_rules.reporting.report import Report

NODES, TENSORS, FLASH, RAM, FRAMES, COUNTS = "nodes", "tensors", "flash", "ram", "frames", "counts"
ENERGY = "energy"
"""What a figure is made of."""

Consumers = Iterable[tuple[str, float]]
"""What takes something, in words, and how much."""


@dataclass(frozen=True)
class Known:
    """What is known of a model, of its firmware or of its run, as far as budgets are about it.

    `figures`: by their key in a report; `consumers`: by one of the words above, what takes them.
    """

    figures: Mapping[str, float | None]
    consumers: Mapping[str, Consumers]


def of_model(report: Report) -> Known:
    """What is known before there is a firmware."""
    tensors = () if report.peak is None else report.peak.tensors
    return Known(
        {
            "constant_bytes": report.constant_bytes,
            "model_ram_bytes": report.model_ram_bytes,
            "arena_bytes": report.arena_bytes,
        },
        {
            NODES: [
                (node_words(str(each.node), each.op), each.constant_bytes) for each in report.nodes
            ],
            TENSORS: [(tensor_words(each.tensor, each.name), each.bytes) for each in tensors],
        },
    )


def of_firmware(found: Linked) -> Known:
    """What is known after the link."""
    stack = found.stack_bytes
    return Known(
        {"flash_bytes": found.flash_bytes, "ram_bytes": found.ram_bytes, "stack_bytes": stack},
        {
            FLASH: [(each.symbol, each.flash_bytes) for each in found.symbols],
            RAM: [
                *((each.symbol, each.ram_bytes) for each in found.symbols),
                ("the stack", stack or 0),
            ],
            FRAMES: [
                *((each.function, each.bytes) for each in found.stack_path),
                *((handler_words(each.name), each.bytes * each.times) for each in found.interrupts),
            ],
        },
    )


def of_run(run: Run | None, profile: Profile | None = None) -> Known:
    """What is known after a run; None where nothing was counted."""
    nodes = () if profile is None else profile.nodes
    figures = {} if run is None else to_json(run)
    energy = None if run is None else run.estimated_microjoules
    return Known(
        {key: value for key, value in figures.items() if isinstance(value, (int, float))},
        {
            COUNTS: [(node_words(each.label, each.op), each.count) for each in nodes],
            ENERGY: [
                (node_words(each.label, each.op), each.share * (energy or 0)) for each in nodes
            ],
        },
    )


def node_words(label: str, op: str) -> str:
    """A node as an error names it."""
    return f"node {label} ({operator_name(op)})"


def tensor_words(number: int, name: str) -> str:
    """A tensor as an error names it; scratch memory has no number in the file."""
    return name if name == SCRATCH else f"tensor #{number} {short_name(name)}"


def handler_words(name: str) -> str:
    """A handler as an error names it."""
    return f"{name} (interrupt)"
