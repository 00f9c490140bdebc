"""Several models in one program, of C or of C++, and what the linker sees of a model."""

from __future__ import annotations

from pathlib import Path

import pytest
from elftools.elf.elffile import ELFFile
from elftools.elf.sections import SymbolTableSection

from tests.conftest import ZooModel
from tests.emit.compiled import build_program, compile_c
from tinyml_rules.ops.relu.cases import relu
from tinyml_rules.system.process import run_program

MAIN = """
#include "first.h"
#include "second.h"

int main()
{
    first_input()[0] = first_quantize_input(2.0f);
    first_invoke();
    second_input()[0] = first_output()[0];
    second_invoke();
    const float real = second_dequantize_output(second_output()[0]);
    return real == 2.0f && SECOND_INPUT_COUNT == 4 ? 0 : 1;
}
"""


@pytest.mark.parametrize("suffix", ["c", "cpp"])
def test_two_models_in_one_program(suffix: str, tmp_path: Path) -> None:
    """Both headers side by side, in C and in C++, in front of C objects."""
    models = [compile_c(relu((1, 4)), name=name) for name in ("first", "second")]
    main = MAIN.replace("main()", "main(void)") if suffix == "c" else MAIN
    program = build_program(main, *models, folder=tmp_path, suffix=suffix)
    assert run_program([str(program)], where="program", timeout_s=10).returncode == 0


def test_global_symbols(tmp_path: Path, zoo_model: ZooModel) -> None:
    """Only what the header declares is visible to the linker, and it starts with the name."""
    compiled = compile_c(zoo_model("speech").read_bytes(), name="speech")
    build_program("int main(void) { return 0; }\n", compiled, folder=tmp_path)
    with (tmp_path / "speech.o").open("rb") as file:
        table = ELFFile(file).get_section_by_name(".symtab")
        assert isinstance(table, SymbolTableSection)
        visible = {
            symbol.name
            for symbol in table.iter_symbols()
            if symbol["st_info"]["bind"] == "STB_GLOBAL" and symbol["st_shndx"] != "SHN_UNDEF"
        }
    assert visible == {"speech_input", "speech_invoke", "speech_output"}
