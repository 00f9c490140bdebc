"""`inspect --kernels`: which kernels there are for a node, and what is against each but one."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tests.conftest import ZooModel
from tests.weights.external import conv_then_dense
from tinyml_rules.cli import main
from tinyml_rules.compiler import select_program
from tinyml_rules.ir.rounding import plain_kernel
from tinyml_rules.lower.choice import Optimize
from tinyml_rules.model_file.writer import build_model
from tinyml_rules.ops import builtin_operators
from tinyml_rules.ops.fully_connected.cases import dense
from tinyml_rules.overview.kernels import kernels_of
from tinyml_rules.request.request import Request, Weights
from tinyml_rules.target.target import load_target


def request_of(model: bytes, target: str) -> Request:
    """To compile it for the target."""
    return Request(model, "net", load_target(target))


@pytest.mark.parametrize("target", ["nrf52840", "host", "atmega1284p"])
@pytest.mark.parametrize("name", ["kws", "person_detect"])
def test_chosen(name: str, target: str, zoo_model: ZooModel) -> None:
    """Each node has one kernel, that of the program; against every other there is a reason."""
    request = request_of(zoo_model(name).read_bytes(), target)
    nodes = {node.label: node for node in kernels_of(request)}
    steps = [step for step in select_program(request).steps if step.candidates]
    assert [*nodes] == [step.name for step in steps]
    for step in steps:
        node = nodes[step.name]
        (chosen,) = (each.kernel for each in node.verdicts if each.is_chosen)
        assert chosen == plain_kernel(step.kernel.name).removesuffix("_far")
        names = [kernel.name for kernel in builtin_operators()[node.operator].kernels]
        assert [each.kernel for each in node.verdicts if each.kernel not in names] == []


def test_every_condition_says_why() -> None:
    """Of all kernels that there are."""
    kernels = [kernel for op in builtin_operators().values() for kernel in op.kernels]
    conditions = [(kernel.name, each) for kernel in kernels for each in (*kernel.can, *kernel.pays)]
    assert len(conditions) > len(kernels)
    assert [name for name, each in conditions if not each.otherwise.strip()] == []


def against(request: Request, kernel: str, label: str) -> str:
    """The reason against a kernel of a node."""
    (node,) = (each for each in kernels_of(request) if each.label == label)
    return next(each.against for each in node.verdicts if each.kernel == kernel)


@pytest.mark.parametrize(
    ("kernel", "reason"),
    [
        ("fully_connected_vectors", "the target lacks mve"),
        ("fully_connected_paged", "for weights=external alone"),
        ("fully_connected_8_by_1", "not for targets with multiply_64"),
        ("fully_connected_nibbles", "cannot: the weights have eight bits"),
        ("fully_connected_per_axis", "cannot: all outputs have one multiplier"),
        ("fully_connected_pairs_widened", "does not pay: fewer than 8 outputs"),
        ("fully_connected_pairs", ""),
        ("fully_connected", "could: fully_connected_pairs comes first"),
    ],
)
def test_reasons(kernel: str, reason: str) -> None:
    """The first that there is, of the target, of the node, of what was measured."""
    model = build_model(dense((1, 64), (1, 4), values=np.ones((4, 64)), is_per_axis=False))
    assert against(request_of(model, "nrf52840"), kernel, "0") == reason


def test_reasons_of_settings() -> None:
    """Weights elsewhere, the goal, and a kernel that the options name."""
    request = request_of(build_model(conv_then_dense(is_per_axis=False)), "nrf52840")
    external = replace(request, weights=Weights.EXTERNAL)
    assert against(external, "conv_2d", "0") == "excluded by weights=external"
    partition = replace(request, weights=Weights.PARTITION)
    bounded = "conv_2d_pair_patch_bounded"
    assert against(partition, bounded, "0") == "excluded by weights=partition"
    small = replace(request, optimize=Optimize.SIZE)
    assert against(small, "conv_2d_dilated", "0").endswith(", for size")
    named = replace(request, kernels=(("0", "conv_2d"),))
    assert against(named, "conv_2d", "0") == ""
    assert against(named, "conv_2d_patch", "0") == "could: the options name conv_2d"


@pytest.fixture
def model(tmp_path: Path) -> Path:
    """A model of one layer."""
    file = tmp_path / "net.tflite"
    file.write_bytes(build_model(dense((1, 6), (1, 4), input_count=6, is_per_axis=False)))
    return file


def test_text_and_json(model: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A line a kernel, one of them marked; of the host without a target; the same as data."""
    assert main(["inspect", str(model), "--kernels"]) == 0
    printed = capsys.readouterr().out
    (marked,) = (line for line in printed.splitlines() if line.startswith("  * "))
    assert marked.split()[1:] == ["fully_connected", "chosen"]
    assert "node 0 (FULLY_CONNECTED)" in printed and "target     host" in printed
    assert main(["inspect", str(model), "--kernels", "--json"]) == 0
    (node,) = json.loads(capsys.readouterr().out)["kernels"]
    assert [each["name"] for each in node["kernels"] if each["is_chosen"]] == [marked.split()[1]]
    assert all(each["against"] or each["is_chosen"] for each in node["kernels"])
    assert main(["inspect", str(model), "--json"]) == 0
    assert "kernels" not in json.loads(capsys.readouterr().out)


def test_misspelt(model: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """It is named, with the option that is meant."""
    assert main(["inspect", str(model), "--kernals"]) == 2
    assert "--kernels" in capsys.readouterr().err
