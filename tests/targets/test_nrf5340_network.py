"""nRF5340, network core: no instruction of the DSP extension, which its Cortex-M33 lacks."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.arena.models import compiled
from tests.conftest import ZooModel
from tests.support.hand_written import target_or_skip
from tinyml_rules.firmware.build import build_image
from tinyml_rules.system.process import run_tool

DSP = re.compile(
    r"\t(smlal?[bt][bt]|smla(d|l?dx|ld|w[bt])|smuadx?|smul[bt][bt]|[su]xta?b16|pkh[bt]{2}|sel)\t"
)


@pytest.mark.parametrize(("name", "has_dsp"), [("nrf5340_network", False), ("mps2_an505", True)])
def test_dsp(name: str, has_dsp: bool, tmp_path: Path, zoo_model: ZooModel) -> None:
    """In the test image, which QEMU runs on a core that has them."""
    target = target_or_skip(name)
    made = compiled(zoo_model("kws"), target)
    image = build_image(target, sources=made.files, interface=made.interface, folder=tmp_path)
    code = run_tool([target.toolchain.program("objdump"), "-d", str(image.elf)], where=name)
    assert bool(DSP.search(code)) == has_dsp
