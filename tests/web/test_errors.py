"""What no page can be made of, and packages that are not there."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

from tests.conftest import PROJECT
from tests.frontends.builds import run, scons
from tinyml_rules.errors import ToolError, UsageError
from tinyml_rules.ir.interface import Interface
from tinyml_rules.target.target import load_target
from tinyml_rules.web.bundle import PACKAGES, find_emulators
from tinyml_rules.web.image import Flashed, emulator_of, image_data


@pytest.mark.parametrize("name", ["host", "nrf52840", "nrf51", "esp32"])
def test_targets(name: str) -> None:
    """Of which there is no emulator in JavaScript."""
    with pytest.raises(UsageError) as caught:
        emulator_of(load_target(name))
    assert str(caught.value) == (
        f"web: error: target '{name}' has no emulator in JavaScript, "
        "expected an AVR or a Cortex-M0+ such as rp2040"
    )


def test_verb() -> None:
    """The same from scons, before anything is built."""
    done = scons(PROJECT, "web", "target=nrf52840", "model=sine")
    assert done.returncode == 2
    assert "target 'nrf52840' has no emulator in JavaScript" in done.stderr


def test_packages(tmp_path: Path) -> None:
    """All are named, with the versions that npm is asked for."""
    with pytest.raises(ToolError) as caught:
        find_emulators(tmp_path)
    modules = tmp_path.resolve() / "node_modules"
    assert str(caught.value).startswith(
        f"{modules}: error: lacks the npm packages avr8js, esbuild, rp2040js, "
    )
    command = str(caught.value).partition("\n  hint: run: ")[2]
    assert command.endswith(" avr8js@0.21.1 esbuild@0.28.2 rp2040js@1.4.1")
    asked = shlex.split(command.replace("npm install", "npm root").partition(" avr8js")[0])
    assert run(asked, tmp_path).stdout.strip() == str(modules)  # where npm would put them


def test_versions() -> None:
    """Those of requirements/package.json."""
    text = (PROJECT / "requirements" / "package.json").read_text(encoding="utf-8")
    for name, version in PACKAGES.items():
        assert f'"{name}": "{version}"' in text


def test_weights_elsewhere() -> None:
    """What is not in the image cannot run in a page."""
    interface = Interface("model", (), (), page_bytes=64)
    with pytest.raises(UsageError) as caught:
        image_data(load_target("atmega328"), Flashed(b"", {}), interface)
    assert "reads its weights from outside flash" in str(caught.value)
