"""The figures of 3x3 windows in pairs and by Winograd, on the page of the core."""

from __future__ import annotations

import re
from math import prod
from pathlib import Path

from benchmarks.layers import LAYERS
from tests.support.combined import Job, measure_combined, target_or_skip
from tests.support.operator_cases import file_of, graph_of, sample_bytes
from tinyml_rules.cores import all_cores
from tinyml_rules.ops._shared.cases.case import random_case

NAMES = ("conv_3x3_of_16", "conv_3x3_of_32", "conv_3x3_of_64")
KERNELS = {"_in_pairs": (("0", "conv_2d_pair_rows_of_two"),), "": ()}
"""By the end of a model's name: the one in pairs, and what is chosen."""
PARTS = ("nrf52840", "mps2_an505", "atsamv71")
"""Cortex-M4, M33 and M7."""
ROW = re.compile(r"^\| `(conv_3x3_of_\d+)` \| (.*) \|$", re.MULTILINE)


def test_the_page_has_what_is_measured(tmp_path: Path) -> None:
    """Estimated cycles a product on each part, and flash on the first."""
    cases = {name: random_case(LAYERS[name]()) for name in NAMES}
    samples = {name: sample_bytes(case, graph_of(case, name=name)) for name, case in cases.items()}
    jobs = [
        Job(f"{name}{ending}", file_of(cases[name]), samples[name], kernels=kernels)
        for name in NAMES
        for ending, kernels in KERNELS.items()
    ]
    ran = {}
    for part in PARTS:
        (tmp_path / part).mkdir()
        target = target_or_skip(part)
        ran[part] = measure_combined(target, jobs, folder=tmp_path / part, models_of_a_unit=1)
    found = {}
    for name, case in cases.items():
        weights, result = case.model.tensors[1], case.model.tensors[-1]
        macs = prod(weights.shape) * prod(result.shape[1:3])
        each = [[ran[part][f"{name}{ending}"] for ending in KERNELS] for part in PARTS]
        cycles = [f"{max(its.estimated_cycles) / macs:.2f}" for pair in each for its in pair]
        flash = [f"{its.flash_bytes:,}" for its in each[0]]
        found[name] = " | ".join((*cycles, *flash))
    page = (all_cores()["dsp"].folder / "README.md").read_text(encoding="utf-8")
    assert dict(ROW.findall(page)) == found
