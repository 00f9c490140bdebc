"""Networks as people build them give TFLM's bytes, and take the memory that they took."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from tests.architectures.images import (
    efficientnet_lite,
    mobilenet_v2,
    mobilenet_v3,
    shufflenet,
    unet,
    yolo,
)
from tests.architectures.sequences import gru, tcn, transformer
from tests.support.combined import Job, run_combined, target_or_skip
from tests.support.operator_cases import expected_bytes, file_of
from tests.support.host import host
from tinyml_rules.compile import compile_model, select_program
from tinyml_rules.model_file.writer import ModelSpec
from tinyml_rules.ops import builtin_operators
from tinyml_rules.ops._shared.cases.case import Case, random_case
from tinyml_rules.plan.lifetimes import step_lifetimes
from tinyml_rules.request.request import Request

ALL = (
    efficientnet_lite,
    gru,
    mobilenet_v2,
    mobilenet_v3,
    shufflenet,
    tcn,
    transformer,
    unet,
    yolo,
)


@cache
def case_of(architecture: Callable[[], Case]) -> Case:
    return architecture()


def operators_of(architecture: Callable[[], Case]) -> set[str]:
    return {operator.name.lower() for operator in case_of(architecture).model.operators}


for each in ALL:
    case = case_of(each)
    out = np.frombuffer(expected_bytes(case), np.int8).reshape(6, -1)
    print(
        each.__name__,
        len(case.model.operators),
        out.shape,
        out[:4].std(0).mean(),
        (out[:4] == out[0]).all(0).mean(),
        out[0][:12],
        sorted(operators_of(each) - set(builtin_operators())),
    )
    if not operators_of(each) - set(builtin_operators()):
        request = Request(file_of(case), each.__name__, host())
        program = select_program(request)
        made = compile_model(request)
        lives = step_lifetimes(program)
        live = max(
            sum(x.size_bytes for x in lives if x.first <= k <= x.last)
            for k in range(len(program.steps))
        )
        print(
            "   ",
            {k: v for k, v in made.report.items() if "bytes" in k},
            live,
            sum(s.kernel.name.startswith("copy") for s in program.steps),
            [s.node.op for s in program.steps if s.kernel.name.startswith("copy")],
            made.warnings,
        )
