"""Compiles models for the host and runs them there, for tests of what the code computes."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np

from tests.support.stages import passed, read
from tests.support.tflm import AnyArray, tflm_outputs
from tinyml_rules.firmware.build import build_image
from tinyml_rules.ir.graph import Graph
from tinyml_rules.ir.interface import Interface
from tinyml_rules.ir.program import Program
from tinyml_rules.lower.select import select
from tinyml_rules.ops import builtin_operators
from tinyml_rules.runners import run_image
from tinyml_rules.target.target import Target, load_target

SEED = 7


def host() -> Target:
    """This computer."""
    return load_target("host")


def program_of(model: bytes, name: str = "model") -> Program:
    """What the planner is given."""
    return select(
        passed(model, name=name),
        host().features,
        builtin_operators(),
    )


def run_on_host(
    files: Mapping[str, str], interface: Interface, samples: bytes, *, folder: Path
) -> bytes:
    """Build the generated files and run them on every sample."""
    sources = {name: text for name, text in files.items() if name.endswith((".c", ".h"))}
    image = build_image(host(), sources=sources, interface=interface, kind="test", folder=folder)
    return run_image(host(), image, samples).output


def samples_and_truth(model: bytes, *, count: int) -> tuple[bytes, bytes]:
    """Random inputs, all of them at both ends of int8 among them, and what TFLM makes of them."""
    graph = _int8_graph(model)
    generator = np.random.default_rng(SEED)
    inputs: list[AnyArray] = []
    for index in graph.inputs:
        values = generator.integers(-128, 128, (count, *graph.tensors[index].shape))
        values[0], values[1] = -128, 127
        inputs.append(values.astype(np.int8))
    outputs = tflm_outputs(model, inputs)
    return _side_by_side(inputs), _side_by_side(outputs)


def _int8_graph(model: bytes) -> Graph:
    graph = read(model)
    assert all(graph.tensors[index].dtype == "int8" for index in graph.inputs)
    return graph


def _side_by_side(arrays: list[AnyArray]) -> bytes:
    """Sample after sample, each with all its arrays."""
    flat = [array.reshape(len(array), -1) for array in arrays]
    return np.concatenate(flat, axis=1).tobytes()
