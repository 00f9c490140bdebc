"""Models of one custom operator, as such compilers leave them."""

from __future__ import annotations

from dataclasses import replace

from tinyml_rules.model_file.writer import build_model
from tinyml_rules.ops._shared.cases.case import model_of, quantized


def files() -> dict[str, bytes]:
    """By accelerator."""
    names = {"edge_tpu": "edgetpu-custom-op", "neutron": "NeutronGraph"}
    return {f"{file}.tflite": _model(name) for file, name in names.items()}


def _model(name: str) -> bytes:
    source, result = (quantized(each, (1, 4), scale=0.5, zero_point=0) for each in ("in", "out"))
    model = model_of("CUSTOM", [source], result)
    (node,) = model.operators
    return build_model(replace(model, operators=(replace(node, custom_code=name),)))
