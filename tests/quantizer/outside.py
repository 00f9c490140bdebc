"""A model's file with its constants behind the flatbuffer."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from tinyml_rules.model_file.writer import ModelSpec, Outside, build_model

ALIGNMENT = 16


def with_buffers_outside(spec: ModelSpec) -> bytes:
    """As converters write files of many constants: only offset and size are in the flatbuffer."""
    length = len(_moved(spec, 2**20)[0])  # the numbers take as many bytes wherever they point
    start = -(-length // ALIGNMENT) * ALIGNMENT
    model, behind = _moved(spec, start)
    return model + bytes(start - length) + behind


def _moved(spec: ModelSpec, start: int) -> tuple[bytes, bytes]:
    tensors, behind = [], b""
    for tensor in spec.tensors:
        data = tensor.data
        if isinstance(data, np.ndarray):
            values = data.tobytes()
            tensors.append(replace(tensor, data=Outside(start + len(behind), len(values))))
            behind += values + bytes(-len(values) % ALIGNMENT)
        else:
            tensors.append(tensor)
    return build_model(replace(spec, tensors=tuple(tensors))), behind
