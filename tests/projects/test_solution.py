"""A CMSIS solution: `cbuild` is not to be had, so that its files are read here, and what they list
is compiled with the processor of the device that they name."""

from __future__ import annotations

import re
from pathlib import Path

from tests.package.test_package_zephyr import read_yaml
from tests.projects.models import two_inputs
from tests.support.hand_written import target_or_skip
from tinyml_rules.cli import main
from tinyml_rules.system.process import run_tool


def test_solution(tmp_path: Path) -> None:
    """Device, pack and component are those of the target and the model; every source compiles."""
    target = target_or_skip("stm32f405")
    model = tmp_path / "net.tflite"
    model.write_bytes(two_inputs())
    folder = tmp_path / "net"
    words = ["--target", target.name, "--out", str(folder)]
    assert main(["init", "cmsis-pack", str(model), *words]) == 0
    solution = read_yaml(folder / "firmware.csolution.yml")["solution"]
    assert [each["device"] for each in solution["target-types"]] == ["ARMCM4"]
    assert {"pack": "tinyml_rules::net", "path": "pack"} in solution["packs"]
    (file,) = (each["project"] for each in solution["projects"])
    project = read_yaml(folder / file)["project"]
    components = [each["component"] for each in project["components"]]
    described = (folder / "pack" / "tinyml_rules.net.pdsc").read_text(encoding="utf-8")
    found = re.search(r'Cclass="(.+?)" Cgroup="(.+?)" Csub="(.+?)"', described)
    assert found is not None
    assert ":".join(found.groups()) in components
    sources = [folder / each["file"] for group in project["groups"] for each in group["files"]]
    listed = re.findall(r'category="source" name="(.+?)"', described)
    sources += [folder / "pack" / each for each in listed]
    assert len(sources) == 3
    for source in sources:
        output = tmp_path / f"{source.stem}.o"
        include = [folder / "pack" / "include"]
        command = target.toolchain.compile_command(source, output, include=include)
        run_tool(command, where=source.name)
