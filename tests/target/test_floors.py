"""What the best known form of a kind of work takes: points in a target file, and between them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.target.test_target import MEMBER, error_of, write_targets
from tinyml_rules.ir.work_kind import WorkKind
from tinyml_rules.target.floors import Floors
from tinyml_rules.target.target import load_target, target_names

FLOORS = """
[floors.dsp]
source = "measured"
dense = { 8 = 2.0, 16 = 1.5, 64 = 1.0 }
depthwise = { 9 = 2.0 }
table = 4
[floors.registers_32]
source = "older"
dense = { 8 = 6.0 }
"""
FAMILY = """
description = "a family"
abstract = true
architecture = "arm"
features = ["registers_32"]
[toolchain]
prefix = "arm-none-eabi-"
[runner]
kind = "qemu"
program = "qemu-system-arm"
"""


def floors(folder: Path, *features: str) -> Floors | None:
    """Of a member of a family with floors."""
    member = MEMBER.replace("clock_hz", f"features = {list(features)}\nclock_hz")
    return load_target(
        "member", search=write_targets(folder, family=FAMILY + FLOORS, member=member)
    ).floors


@pytest.mark.parametrize(
    "kind, macs, values, expected",
    [
        (WorkKind.DENSE, 80, 10, 160),
        (WorkKind.DENSE, 120, 10, 200),  # halfway from 16 to 24 a value
        (WorkKind.DENSE, 640, 10, 640),
        (WorkKind.DENSE, 10, 10, 90),  # on the line through the first two
        (WorkKind.DENSE, 1280, 10, 640 + 10 * 64 * 40 / 48),
        (WorkKind.DEPTHWISE, 450, 50, 900),
        (WorkKind.DEPTHWISE, 1250, 50, 2500),
        (WorkKind.TABLE, 0, 30, 120),
        (WorkKind.DENSE, 0, 0, None),  # it did not run
        (WorkKind.VECTOR, 80, 10, None),
        (WorkKind.OTHER, 80, 10, None),
    ],
)
def test_between_points(
    tmp_path: Path, kind: WorkKind, macs: int, values: int, expected: float | None
) -> None:
    found = floors(tmp_path, "dsp")
    assert found is not None
    assert found.count(kind, macs=macs, values=values) == (
        None if expected is None else pytest.approx(expected)
    )


def test_the_first_core_that_the_part_has(tmp_path: Path) -> None:
    found = floors(tmp_path)
    assert found is not None
    assert found.source == "older"
    assert found.count(WorkKind.DENSE, macs=80, values=10) == 480


@pytest.mark.parametrize(
    "text, what",
    [
        ("[floors.dsp]\ndense = { 8 = 1 }", "missing 'floors.dsp.source'"),
        (
            '[floors.dsp]\nsource = "x"\ndense = { many = 1 }',
            "'floors.dsp.dense' has 'many', expected products for a value, such as 64 = 0.94",
        ),
        (
            '[floors.dsp]\nsource = "x"\nvector = {}',
            "'floors.dsp.vector' is empty, expected products for a value, such as 64 = 0.94",
        ),
        ('[floors.dsp]\nsource = "x"\ndens = {}', "unknown key 'floors.dsp.dens'"),
        ('[floors.m4]\nsource = "x"', "'floors' has 'm4', expected one of "),
    ],
)
def test_mistakes(tmp_path: Path, text: str, what: str) -> None:
    """Also in the table of a core that the part is not."""
    message = error_of(tmp_path, f"{MEMBER}{text}\n")
    assert message.startswith(f"/member/target.toml: error: {what}")


@pytest.mark.parametrize("name", target_names())
def test_our_own(name: str) -> None:
    """Every part with a counter has floors that rise with the products."""
    found = load_target(name).floors
    if name == "host":
        assert found is None
        return
    assert found is not None
    assert found.points.keys() == set(WorkKind) - {WorkKind.OTHER}
    for kind, points in found.points.items():
        counts = [count for _, count in points]
        assert counts == sorted(counts)
        least = found.count(kind, macs=1, values=1)
        assert least is not None
        assert least > 0
