"""What scratch memory holds for assembly is as large as the struct in C."""

from __future__ import annotations

from pathlib import Path

from tests.conftest import ZooModel
from tests.support.hand_written import target_or_skip
from tinyml_rules.compiler import compile_model
from tinyml_rules.cores.dsp.scratch import LAYER_BYTES
from tinyml_rules.request.request import Request
from tinyml_rules.system.process import run_tool


def test_it_has_the_bytes_of_the_struct(zoo_model: ZooModel, tmp_path: Path) -> None:
    target = target_or_skip("nrf52840")
    files = compile_model(Request(zoo_model("kws").read_bytes(), "kws", target)).files
    (tmp_path / "kws.h").write_text(files["kws.h"], encoding="utf-8")
    size = f"sizeof(struct kws_pair_layer) == {LAYER_BYTES}"
    file = tmp_path / "kws.c"
    file.write_text(f'{files["kws.c"]}\n_Static_assert({size}, "");\n', encoding="utf-8")
    run_tool(["arm-none-eabi-gcc", "-mcpu=cortex-m4", "-fsyntax-only", str(file)], where="kws.c")
