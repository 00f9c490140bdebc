"""The figures of a model, growing from compilation to build to run; each stage adds its own."""

from __future__ import annotations

from typing import Any

from tinyml_rules.budget import constant_bytes, step_constant_bytes
from tinyml_rules.ir.interface import Interface, Port
from tinyml_rules.ir.program import Program
from tinyml_rules.plan.memory_plan import MemoryPlan

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
