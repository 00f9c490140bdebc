"""Records what TFLM answers: to fixed random inputs, in `models/<name>/vectors.npz`, and to the
samples of its model.toml, in `samples.npz` next to it.

    python -m tests.support.record_vectors --models=DIR [MODEL ...]

The files hold inputs and outputs by tensor name, with a leading axis of samples; `scons test` and
the emulator tests compare with the vectors, and the live page opens with a sample.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from models.zoo import load_manifest, model_names, obtain
from tests.support.sample_inputs import input_of
from tests.support.stages import read
from tests.support.tflm import AnyArray, tflm_outputs
from tinyml_rules.compiler import compile_model
from tinyml_rules.ir.graph import Graph
from tinyml_rules.request.request import Request
from tinyml_rules.target.target import load_target

MODELS_FOLDER = Path(__file__).parents[2] / "models"
CACHE = Path("build/models")
SAMPLES = 6
SEED = 20


def vectors(model: bytes, name: str) -> dict[str, AnyArray]:
    """{tensor name: samples} of every input and output of an int8 model."""
    graph = read(model, name=name)
    inputs = [_inputs(graph, index) for index in graph.inputs]
    outputs = tflm_outputs(model, inputs)
    names = [graph.tensors[index].name for index in (*graph.inputs, *graph.outputs)]
    return dict(zip(names, [*inputs, *outputs], strict=True))


def samples(model: bytes, name: str, files: Sequence[Path]) -> dict[str, AnyArray]:
    """The same of the samples in these files."""
    interface = compile_model(Request(model, name, load_target("host"))).interface
    (port,) = interface.inputs
    inputs = np.stack([input_of(name, file, port) for file in files])
    (outputs,) = tflm_outputs(model, [inputs])
    return {port.tensor: inputs, interface.outputs[0].tensor: outputs}


def _inputs(graph: Graph, index: int) -> AnyArray:
    """Random samples, the first two at the ends of the range; all values for a single number."""
    tensor = graph.tensors[index]
    if tensor.count == 1:
        return np.arange(-128, 128).astype(np.int8).reshape(-1, *tensor.shape)
    generator = np.random.default_rng(SEED)
    samples = generator.integers(-128, 128, (SAMPLES, *tensor.shape)).astype(np.int8)
    samples[0] = -128
    samples[1] = 127
    return samples


def main() -> None:
    """Write the vectors of the named models, or of all."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", default=model_names(MODELS_FOLDER))
    parser.add_argument("--models", type=Path, help="folder that has the models' files")
    options = parser.parse_args()
    for name in options.names:
        manifest = load_manifest(MODELS_FOLDER, name)
        model = obtain(manifest.model, mirror=options.models, cache=CACHE).read_bytes()
        _write(MODELS_FOLDER / name / "vectors.npz", vectors(model, name))
        named = [each.file for each in manifest.demo.samples]
        if named:
            files = [obtain(each, mirror=options.models, cache=CACHE) for each in named]
            _write(MODELS_FOLDER / name / "samples.npz", samples(model, name, files))


def _write(file: Path, arrays: dict[str, Any]) -> None:
    np.savez_compressed(file, **arrays)


if __name__ == "__main__":
    main()
