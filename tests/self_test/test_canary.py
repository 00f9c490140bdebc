"""The four bytes at the end of an AVR's stack, which a self test reads."""

from __future__ import annotations

from pathlib import Path

from elftools.elf.elffile import ELFFile
from elftools.elf.sections import SymbolTableSection

from tests.frontends.builds import SINE
from tests.self_test.probe import PASSED, STACK, probe_image
from tests.support.hand_written import CACHE, target_or_skip
from tinyml_rules.firmware.measure import measure_image
from tinyml_rules.firmware.ram import static_ram_bytes
from tinyml_rules.firmware.support import FIRMWARE_FOLDER
from tinyml_rules.lower.choice import Optimize
from tinyml_rules.request.request import Request
from tinyml_rules.runners import run_image
from tinyml_rules.system.process import run_tool

GUARDED = '#include "tinyml_stack_guard.h"\nTINYML_STACK_CANARY;\n'
FIRST = "static int8_t calls;\n    if (calls++ == 0) { tinyml_put_stack_canary(); }\n"
OVERFLOW = "if (calls == 2) { ((volatile uint8_t *)&tinyml_stack_canary)[%d] ^= 1; }"


def request() -> Request:
    model = (SINE / "sine.tflite").read_bytes()
    return Request(model, "sine", target_or_skip("atmega328"), optimize=Optimize.LAYERS)


def test_canary(tmp_path: Path) -> None:
    """It is where RAM begins, below the stack; a byte that is another one is found, each of the
    four; it is a variable; and a program without one has nothing of it."""
    target = request().target
    assert target.memory
    sizes = {}
    for name, before in {"whole": "", "first": OVERFLOW % 0, "last": OVERFLOW % 3}.items():
        image = probe_image(request(), tmp_path / name, before=FIRST + before, outside=GUARDED)
        expected = [PASSED, STACK if before else PASSED, STACK if before else PASSED]
        assert list(run_image(target, image, b"abc", cache=CACHE).output) == expected
        places = addresses(image.elf)
        assert places["tinyml_stack_canary"] == target.memory.ram.origin
        assert places["__stack_bottom"] == target.memory.ram.origin + 4
        assert places["__stack_top"] + 1 == places["__data_start"]
        sizes[name] = static_ram_bytes(image.elf, target.memory)
        assert measure_image(target, image).static_ram_bytes == sizes[name]
    bare = probe_image(request(), tmp_path / "bare", before="static int8_t calls;\n    calls++;\n")
    assert list(run_image(target, bare, b"ab", cache=CACHE).output) == [PASSED, PASSED]
    assert addresses(bare.elf).get("tinyml_stack_canary", 0) == 0
    assert static_ram_bytes(bare.elf, target.memory) == sizes["whole"] - 4


def test_with_the_linker_script_of_avr_libc(tmp_path: Path) -> None:
    """It is the last of the variables, next to what the stack may take."""
    target = request().target
    variables = "int other; int more[9] = { 3 };"
    main = "int main(void) { tinyml_put_stack_canary(); }"
    (tmp_path / "main.c").write_text(f"{GUARDED}{variables}\n{main}\n")
    elf = tmp_path / "main.elf"
    command = [target.toolchain.program("gcc"), "-mmcu=atmega328p", "-Os", f"-I{FIRMWARE_FOLDER}"]
    run_tool([*command, str(tmp_path / "main.c"), "-o", str(elf)], where="test")
    places = addresses(elf)
    assert places["tinyml_stack_canary"] + 4 == places["_end"]


def addresses(elf: Path) -> dict[str, int]:
    """Of all symbols, as the processor sees them."""
    with elf.open("rb") as file:
        table = ELFFile(file).get_section_by_name(".symtab")
        assert isinstance(table, SymbolTableSection)
        return {each.name: each["st_value"] for each in table.iter_symbols()}
