"""e2e/smoke: another repository that uses the rules, as it stands."""

from __future__ import annotations

import re
import shutil
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.bazel.builds import Bazel, worked
from tests.frontends.builds import SINE, run
from tests.frontends.node import check_node
from tinyml_rules.compiler import compile_model
from tinyml_rules.request.request import Request
from tinyml_rules.target.target import load_target

CORES = {
    "atmega2560": "avr:6",
    "mps3_an547": "MVE Integer and FP",
}
"""Parts, and what readelf tells of code for each alone."""


def test_tests(bazel: Bazel, workspace: Path) -> None:
    """The model on this computer, on an AVR and on a Cortex-M; then nothing is left to do."""
    printed = bazel.build(workspace, "//:all", command="test")
    passed = re.findall(r"^//:(\w+) +(?:\(cached\) )?PASSED", printed, re.M)
    assert passed == ["sine_atmega328_test", "sine_host_test", "sine_lm3s6965_test"]
    assert worked(bazel.build(workspace, "//:all", command="test")) == 0
    log = workspace / "bazel-testlogs" / "sine_atmega328_test" / "test.log"
    told = r"sine_atmega328 on atmega328: 256 samples equal, at most [\d,]+ cycles"
    assert re.search(told, log.read_text())


def test_node(bazel: Bazel, workspace: Path, tmp_path: Path) -> None:
    """All that is for the part: the firmware prints TFLM's heights, and what is not is left out."""
    printed = bazel.build(workspace, "--config=atmega328", "//:all", command="test")
    assert re.search(r"^//:sine_host_test +SKIPPED", printed, re.M)
    assert re.search(r"^//:sine_lm3s6965_test +(?:\(cached\) )?PASSED", printed, re.M)
    check_node(Path(shutil.copy(workspace / "bazel-bin" / "node.elf", tmp_path)))


@pytest.mark.parametrize("target", ["host", "atmega328"])
def test_same_bytes(target: str, bazel: Bazel, workspace: Path) -> None:
    """What is generated is what the command line writes."""
    platform = [] if target == "host" else [f"--platforms=@tinyml_rules//targets:{target}"]
    bazel.build(workspace, *platform, "//:sine")
    model = (SINE / "sine.tflite").read_bytes()
    outputs = compile_model(Request(model, "sine", load_target(target))).outputs
    assert len(outputs) == 4
    for name, content in outputs.items():
        data = content if isinstance(content, bytes) else content.encode()
        assert (workspace / "bazel-bin" / name).read_bytes() == data, name


@pytest.mark.parametrize("target", CORES)
def test_toolchains(target: str, bazel: Bazel, workspace: Path) -> None:
    """The library of a part is made by that part's compiler, with its flags."""
    bazel.build(workspace, f"--platforms=@tinyml_rules//targets:{target}", "//:sine")
    told = run(["readelf", "-hA", workspace / "bazel-bin" / "libsine.a"], workspace).stdout
    assert CORES[target] in told


def test_two_at_once(bazel: Bazel, workspace: Path) -> None:
    """The second waits for the first, and says so; then it has nothing left to do."""
    bazel.run(workspace, "clean")
    with ThreadPoolExecutor(2) as pool:
        printed = list(pool.map(lambda _: bazel.build(workspace, "//:sine"), range(2)))
    assert sum("Another command" in each for each in printed) == 1
    assert sorted(map(worked, printed))[0] == 0
    assert worked(bazel.build(workspace, "//:sine")) == 0
