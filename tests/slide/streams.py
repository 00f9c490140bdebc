"""Windows over a random stream, and what TFLM makes of each by itself."""

from __future__ import annotations

import numpy as np

from tests.plan.together import Variant
from tests.support.host import program_of
from tests.support.stages import read
from tests.support.tflm import AnyArray, tflm_outputs
from tinyml_rules.compiler import Compiled, compile_model
from tinyml_rules.errors import UnsupportedError, UsageError
from tinyml_rules.plan.slide import slide
from tinyml_rules.request.request import Request
from tinyml_rules.runners.arrays import pack_samples

SEED = 11


def windows_of(shape: tuple[int, ...], rows: int, hop: int, count: int) -> AnyArray:
    """int8, shape (count, *shape): `count` windows of `rows` rows, each `hop` rows after the last;
    a part of the stream is at both ends of int8."""
    width = int(np.prod(shape)) // rows
    generator = np.random.default_rng(SEED)
    stream = generator.integers(-128, 128, (rows + hop * (count - 1), width)).astype(np.int8)
    stream[rows : rows + 2] = np.array([[-128], [127]])[: len(stream[rows : rows + 2])]
    starts = range(0, hop * count, hop)
    return np.stack([stream[start : start + rows].reshape(shape) for start in starts])


def hops_of(model: bytes) -> list[int]:
    """By how many rows its windows can slide; none where they cannot."""
    found = []
    program = program_of(model)
    tensor = program.graph.tensors[program.graph.inputs[0]]
    for hop in range(1, tensor.shape[1] + 1):
        try:
            slide(program, hop)
        except UsageError:
            continue
        except UnsupportedError:
            break
        found.append(hop)
    return found


def variant_of(request: Request, *, count: int, again: int = 0) -> Variant:
    """So many windows of one stream, `again` of them once more after a reset."""
    compiled = compile_model(request)
    samples, truth = samples_of(compiled, request.model, count=count, again=again)
    return Variant(compiled, count + again, samples, truth)


def samples_of(
    compiled: Compiled, model: bytes, *, count: int, again: int = 0
) -> tuple[bytes, bytes]:
    """What a test image reads, and what it writes if all is right."""
    interface = compiled.interface
    shape = read(model).tensors[read(model).inputs[0]].shape
    windows = windows_of(shape, interface.pushed_rows, interface.slide, count)
    windows = np.concatenate([windows, windows[:again]])
    truth = tflm_outputs(model, [windows])
    samples = pack_samples(interface, {interface.inputs[0].tensor: windows}, where="test")
    flat = [array.reshape(len(array), -1).view(np.uint8) for array in truth]
    return samples, np.concatenate(flat, axis=1).tobytes()
