"""The figures of a model, growing from compilation to build to run; each stage adds its own."""

from __future__ import annotations

from typing import Any

from tinyml_rules.budget import constant_bytes, step_constant_bytes
from tinyml_rules.firmware.measure import ImageSize
from tinyml_rules.ir.interface import Interface, Port
from tinyml_rules.ir.program import Program
from tinyml_rules.plan.memory_plan import MemoryPlan
from tinyml_rules.runners import RunResult
from tinyml_rules.target import Target

Report = dict[str, Any]
"""What a `<name>.report.json` holds."""


def describe_model(
    program: Program, plan: MemoryPlan, interface: Interface, *, target: str
) -> Report:
    """The figures that are known without building: sizes in bytes, work in multiply-accumulates."""
    return {
        "model": interface.name,
        "model_sha256": program.graph.sha256,
        "target": target,
        "arena_bytes": plan.arena_bytes,
        "arena_lower_bound_bytes": plan.lower_bound_bytes,
        "constant_bytes": constant_bytes(program),
        "macs": sum(step.macs for step in program.steps),
        "inputs": [_describe_port(port) for port in interface.inputs],
        "outputs": [_describe_port(port) for port in interface.outputs],
        "nodes": [
            {
                "node": step.node.index,
                "op": step.node.op,
                "kernel": step.kernel.name,
                "macs": step.macs,
                "constant_bytes": step_constant_bytes(step),
            }
            for step in program.steps
        ],
    }


def _describe_port(port: Port) -> dict[str, Any]:
    return {
        "tensor": port.tensor,
        "accessor": port.accessor,
        "shape": list(port.shape),
        "dtype": "float32" if port.is_float_in_model else "int8",
        "scale": port.scale,
        "zero_point": port.zero_point,
    }


def describe_size(size: ImageSize, target: Target) -> Report:
    """The figures of the minimal firmware, in bytes; those of the part beside them."""
    memory = target.memory
    return {
        "flash_bytes": size.flash_bytes,
        "ram_bytes": size.ram_bytes,
        "static_ram_bytes": size.static_ram_bytes,
        "stack_bytes": size.stack_bytes,
        "invoke_stack_bytes": size.invoke_stack_bytes,
        "target_flash_bytes": memory.flash.bytes if memory else None,
        "target_ram_bytes": memory.ram.bytes if memory else None,
    }


def describe_run(result: RunResult, target: Target) -> Report:
    """The most that one inference took, counted from the first instruction of invoke to its end.

    simavr counts cycles, from which the time at the part's clock follows; QEMU counts
    instructions, from which none does; the host counts nothing.
    """
    if not result.counts:
        return {}
    most = max(result.counts)
    report: Report = {result.count_unit: most, "invoke_stack_measured_bytes": result.stack_bytes}
    if result.count_unit == "cycles" and target.clock_hz:
        report["milliseconds"] = round(1000 * most / target.clock_hz, 4)
    return report
