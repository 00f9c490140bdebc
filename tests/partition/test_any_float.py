"""The header's conversion of a real number is that of QUANTIZE inside a model, for any float32:
infinities, what is no number, and what is too small for a quotient included."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np

from tests.support.combined import SANITIZED, target_or_skip
from tests.support.tflm import AnyArray
from tinyml_rules.compiler import compile_model
from tinyml_rules.firmware.build import build_image
from tinyml_rules.model_file.writer import build_model
from tinyml_rules.ops.quantize.cases import quantize
from tinyml_rules.request.request import Request
from tinyml_rules.runners import run_image

ENDS = [np.inf, -np.inf, np.nan, -np.nan, 0.0, -0.0, 1e-45, -1e-45, 3.4e38, -3.4e38]
HEADER = """\
#include <stdint.h>
#include "inside.h"
float *any_input(void);
{type} *any_output(void);
const {type} *any_inside(void);
void any_invoke(void);
"""
SOURCE = """\
#include "any.h"
#include "outside.h"
static float values[{count}];
static {type} results[{count}];
float *any_input(void) {{ return values; }}
{type} *any_output(void) {{ return results; }}
const {type} *any_inside(void) {{ return inside_output_output(); }}
void any_invoke(void)
{{
    for (int i = 0; i < {count}; i++) {{
        inside_input()[i] = values[i];
        results[i] = outside_quantize_input(values[i]);
    }}
    inside_invoke();
}}
"""


def converted(dtype: str, values: AnyArray, folder: Path) -> tuple[AnyArray, AnyArray]:
    """What the header's function and the kernel make of all values."""
    target, count = target_or_skip(SANITIZED), len(values)
    model = quantize(count, scale=0.3, zero_point=-7, dtype=dtype)
    # the caller reads the real numbers too, so that the model converts them itself
    whole = replace(model, outputs=(*model.outputs, 0))
    outside, inside = (
        compile_model(Request(build_model(each), name, target))
        for name, each in (("outside", model), ("inside", whole))
    )
    words = {"type": f"{dtype}_t", "count": count}
    sources = {"any.h": HEADER.format(**words), "any.c": SOURCE.format(**words)}
    for each in (outside, inside):
        sources |= {name: text for name, text in each.files.items() if name[-2:] in (".c", ".h")}
    (source,), (result, _) = inside.interface.inputs, inside.interface.outputs
    interface = replace(
        inside.interface,
        name="any",
        inputs=(replace(source, accessor="any_input"),),
        outputs=(replace(result, accessor="any_output"), replace(result, accessor="any_inside")),
    )
    image = build_image(target, sources=sources, interface=interface, kind="test", folder=folder)
    output = run_image(target, image, values.astype(np.float32).tobytes()).output
    first, second = np.frombuffer(output, dtype).reshape(2, count)
    return first, second


def test_any_float(tmp_path: Path) -> None:
    """Bits at random are of every size; the sanitizer stops at a conversion that C lacks."""
    bits = np.random.default_rng(5).integers(0, 2**32, 3000, dtype=np.uint32)
    near = [np.random.default_rng(6).normal(0, each, 1000) for each in (20, 3000)]
    reals = [np.asarray(each, np.float32) for each in (*near, ENDS)]
    values = np.concatenate([bits.view(np.float32), *reals])
    for dtype in ("int8", "int16"):
        outside, inside = converted(dtype, values, tmp_path / dtype)
        np.testing.assert_array_equal(outside, inside)
        assert len(set(inside.tolist())) > 200
