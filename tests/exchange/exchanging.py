"""Firmware of one model with the images of others beside it: which is told to be used, and what an
inference then gives."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from tests.support.hand_written import CACHE, interface
from tests.support.tflm import tflm_outputs
from tinyml_rules.compiler import Compiled, compile_model
from tinyml_rules.firmware.build import build_image
from tinyml_rules.firmware.image import Image
from tinyml_rules.model_file.reader import read_model
from tinyml_rules.ops import builtin_operators
from tinyml_rules.request.request import Request, Weights
from tinyml_rules.runners import RunResult, run_image

DONE, NO_IMAGE, OTHER_LAYOUT, DAMAGED, WRONG_ADDRESS, NOT_SIGNED, OLDER, UNKNOWN_KEY = range(8)
"""As the header has them."""
KEEP = 0
"""Instead of the number of an image, from 1 on: the one that is in use."""
_SOURCE = """
#include "my.h"
#include "exchanging.h"
#ifdef __AVR__
#define FLASH __flash
#else
#define FLASH
#endif
{hooks}
{images}
static int8_t in[{inputs} + 1], out[{outputs} + 1];
int8_t *exchanging_in(void) {{ return in; }}
int8_t *exchanging_out(void) {{ return out; }}
static int use(int number)
{{
    switch (number) {{
{cases}
    default: return 0;
    }}
}}
void exchanging_invoke(void)
{{
    out[0] = (int8_t)use(in[0]);
    for (int i = 0; i < {inputs}; i++) {{
        my_input()[i] = in[i + 1];
    }}
    my_invoke();
    for (int i = 0; i < {outputs}; i++) {{
        out[i + 1] = my_output()[i];
    }}
}}
"""
_HEADER = """#include <stdint.h>
int8_t *exchanging_in(void);
int8_t *exchanging_out(void);
void exchanging_invoke(void);
"""


def exchangeable(request: Request) -> Compiled:
    """The model with its constants in an image."""
    return compile_model(replace(request, name="my", weights=Weights.PARTITION))


def other_weights(model: bytes, seed: int) -> bytes:
    """The same file with the int8 and int32 constants of its layers in another order."""
    graph = read_model(model, name="my", operators=builtin_operators())
    generator = np.random.default_rng(seed)
    for node in graph.nodes:
        for index in node.inputs[1:]:
            tensor = None if index is None else graph.tensors[index]
            if tensor is None or tensor.data is None or str(tensor.dtype) not in ("int8", "int32"):
                continue
            data = np.asarray(tensor.data)
            mixed = generator.permutation(data.reshape(-1)).astype(data.dtype)
            assert model.count(data.tobytes()) >= 1
            model = model.replace(data.tobytes(), mixed.tobytes(), 1)
    return model


def answers(
    request: Request,
    images: Sequence[bytes],
    asked: Sequence[tuple[int, bytes]],
    folder: Path,
    *,
    hooks: str = "",
) -> list[tuple[int, bytes]]:
    """(what `my_use` returned, the output) for each (number of an image or KEEP, input); `hooks`: C
    functions of the firmware's that the model calls."""
    return told(request, program(request, images, folder, hooks=hooks), asked)[0]


def program(
    request: Request,
    images: Sequence[bytes],
    folder: Path,
    *,
    hooks: str,
    library: Mapping[str, str] | None = None,
) -> Image:
    """Firmware that has the images in its flash; `library`: files of C that the hooks need."""
    compiled = exchangeable(request)
    (given,), (made,) = compiled.interface.inputs, compiled.interface.outputs
    arrays = [
        f"static const uint8_t FLASH image_{number}[] __attribute__((aligned(16))) = "
        f"{{ {', '.join(map(str, image))} }};"
        for number, image in enumerate(images, start=1)
    ]
    cases = [
        f"    case {number}: return my_use(image_{number});" for number in range(1, len(images) + 1)
    ]
    text = _SOURCE.format(
        hooks=hooks,
        images="\n".join(arrays),
        cases="\n".join(cases),
        inputs=given.size_bytes,
        outputs=made.size_bytes,
    )
    ports = {"exchanging_in": given.size_bytes + 1}, {"exchanging_out": made.size_bytes + 1}
    own = {"exchanging.h": _HEADER, "exchanging.c": text}
    return build_image(
        request.target,
        sources={**compiled.files, **(library or {}), **own},
        interface=interface("exchanging", *ports),
        kind="test",
        folder=folder,
    )


def told(
    request: Request, image: Image, asked: Sequence[tuple[int, bytes]]
) -> tuple[list[tuple[int, bytes]], RunResult]:
    """What `answers` gives, and the run."""
    data = b"".join(bytes([number]) + values for number, values in asked)
    result = run_image(request.target, image, data, cache=CACHE)
    size = len(result.output) // len(asked)
    rows = [result.output[start : start + size] for start in range(0, len(result.output), size)]
    return [(row[0], row[1:]) for row in rows], result


def expected(model: bytes, values: Sequence[bytes]) -> list[bytes]:
    """TFLM's outputs."""
    graph = read_model(model, name="my", operators=builtin_operators())
    shape = graph.tensors[graph.inputs[0]].shape
    rows = np.frombuffer(b"".join(values), np.int8).reshape(len(values), *shape)
    (made,) = tflm_outputs(model, (rows,))
    return [each.tobytes() for each in np.asarray(made)]
