"""The generated files under every compiler, dialect and level that compilers.md promises."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest

from tests.assembly.declared import faults, without_an_output
from tests.assembly.in_object import assembled, marked
from tests.assembly.objects import LEAST, check, tools_of
from tests.assembly.statements import statements
from tests.emit.compiled import STRICT_C, STRICT_CPP
from tests.emit.every_kernel import everything, words_of
from tests.emit.written import Written, turns_of, with_new_functions
from tests.support.combined import (
    target_or_skip,
    targets_of_each_kind,
    targets_of_own_pieces,
)
from tests.support.once import made_once
from tinyml_rules.emit import runtime
from tinyml_rules.ir.program import Form, Kernel
from tinyml_rules.ir.rounding import plain_kernel
from tinyml_rules.lower.far_weights import FEATURE
from tinyml_rules.ops import builtin_operators
from tinyml_rules.request.request import Weights
from tinyml_rules.system.process import run_tool
from tinyml_rules.target.target import load_target

LEVELS = {
    "atmega1284p": ("-O0", "-Os", "-O3"),
    "atsamv71": ("-O0", "-Og"),
    "esp8266": ("-O0", "-Os"),
    "host": ("-O1", "-O3"),
    "lm3s6965": ("-O0", "-Os"),
    "mps2_an505": ("-O2",),
    "mps3_an547": ("-O0", "-O2"),
    "nrf51": ("-O1", "-Os"),
    "riscv32imc": ("-Og", "-O2"),
    "riscv32imcb": ("-Os",),
    "xtensa_lx6": ("-O1",),
}
"""Of GCC, for a target of each set of features: each gets C of its own.  -O0 leaves assembly the
fewest registers; -O3, which is how images are built, has the most warnings.  Functions with
assembly are compiled at each of them; each C is once, targets and levels in turn, as what an
optimizer warns of is in the C and not in the processor.  Every compiler reads all C."""
CLANG_TARGETS = {
    "atsamv71": ("clang-22", "-O3", "--target=arm-none-eabi"),
    "host": ("clang-22", "-O0"),
    "lm3s6965": ("clang-22", "-Os", "--target=arm-none-eabi"),
    "mps3_an547": ("clang", "-O0", "--target=arm-none-eabi"),
    "nrf51": ("clang", "-Os", "--target=arm-none-eabi"),
    "riscv32imc": ("clang-22", "-Os", "--target=riscv32-unknown-elf"),
}
"""The compiler, the level and what it makes code for: the oldest and the newest, both where C is
portable and where it has words for one processor."""
CLANG_MAKES = ("atsamv71", "host")
"""Where it makes code for every C once: elsewhere for what has assembly, and reads the others."""
LEAST_ASSEMBLY = {
    **{"atmega1284p": 43, "atsamv71": 80, "esp8266": 55, "lm3s6965": 16, "mps2_an505": 45},
    **{"mps3_an547": 20, "nrf51": 7, "riscv32imc": 5, "riscv32imcb": 5, "xtensa_lx6": 30},
}
"""How many statements of assembly the samples for a target have, or more."""
DIALECTS = ("c11", "c17", "c2x", "gnu99")
AVR_DIALECTS = ("gnu99", "gnu11")
"""`__flash` is no word of a standard, and GCC 5.4 has no newer one."""
GCC_5_IN_32_BITS = (
    *("avr-gcc", "-mmcu=atmega328p", "-Wall", "-Wextra", "-Werror"),
    "-U__INT_MAX__",  # what generated C may ask for
)
"""An old front end for the C of others, whose processors have no compiler as old here."""
CPP_COMPILERS = {
    "g++": ("c++98", "c++11", "c++14", "c++17", "c++20", "c++2b"),
    "clang++": ("c++98", "c++11", "c++17", "c++2b"),
    "clang++-22": ("c++98", "c++11", "c++17", "c++20", "c++2c"),
    "avr-g++": ("gnu++98", "c++98", "gnu++11", "c++14"),
    "arm-none-eabi-g++": ("gnu++98", "c++14"),
}
LISTED = "samples.json"  # their names, and the words that they have
GPP_WARNINGS = ("-Wuseless-cast", "-Wzero-as-null-pointer-constant", "-Wmissing-declarations")


@pytest.fixture
def written(tmp_path_factory: pytest.TempPathFactory, worker_id: str) -> Callable[[str], Written]:
    """The samples for a target, compiled once."""

    def write(target_name: str) -> Written:
        def make(folder: Path) -> None:
            found = everything(target_name)
            for each in found:
                for name, text in each.files.items():
                    (folder / name).write_text(text, encoding="utf-8")
            names = [each.interface.name for each in found]
            words = sorted(set().union(*map(words_of, found)))
            (folder / LISTED).write_text(json.dumps([names, words]), encoding="utf-8")

        folder = made_once(tmp_path_factory, worker_id, f"samples_{target_name}", make)
        names, words = json.loads((folder / LISTED).read_text(encoding="utf-8"))
        return Written(folder, tuple(names), frozenset(words))

    return write


def compile_unit(command: Sequence[str], unit: Path, *, stop: str = "-c") -> None:
    """Raises ToolError with what the compiler has to say."""
    output = (stop, str(unit), "-o", str(unit.with_suffix(".o")))
    run_tool([*command, *STRICT_C, *output], where=" ".join(command))


def check_dialect(command: Sequence[str], dialect: str, *files: Path) -> None:
    """The same without code."""
    flags = (f"-std={dialect}", *STRICT_C, "-fsyntax-only")
    run_tool([*command, *flags, *map(str, files)], where=f"{command[0]} -std={dialect}")


def test_levels_are_of_every_set_of_features() -> None:
    """A new one needs a row."""
    kinds = (*targets_of_each_kind(), *targets_of_own_pieces())
    every = {load_target(name).features for name in kinds}
    far = load_target("atmega1284p").features  # those of other AVRs, and weights far away
    assert {load_target(name).features for name in LEVELS} | {far - {FEATURE}} == every


@pytest.mark.parametrize("target_name", LEVELS)
def test_gcc(target_name: str, written: Callable[[str], Written], tmp_path: Path) -> None:
    """The target's own compiler."""
    target = target_or_skip(target_name)
    samples = written(target_name)
    program = target.toolchain.program("gcc")
    gcc = [program, *target.toolchain.machine_flags, "-ffreestanding", f"-I{samples.folder}"]
    is_avr = target.architecture == "avr"
    assembly, each = samples.with_assembly, samples.of_each_assembly
    made = turns_of(target_name, [*LEVELS], written, choose=with_new_functions)
    for level, names in samples.in_turn(LEVELS[target_name], each=each, among=made - each):
        # avr-gcc 5.4 itself fails without optimization where it reads 64 bits from flash
        narrow = [name for name in names if not (is_avr and level == "-O0" and "int64" in name)]
        # the assembler has something to say of our own assembly alone; and without optimization
        # all of it together is more than AVR's jumps reach
        own = [] if is_avr else [name for name in narrow if name in assembly]
        for stop, some in (("-c", own), ("-S", [name for name in narrow if name not in own])):
            if some:
                compile_unit([*gcc, "-std=gnu11", level], samples.unit(some, tmp_path), stop=stop)
    alike = [name for name in LEVELS if load_target(name).toolchain.program("gcc") == program]
    read = turns_of(target_name, alike, written)
    for dialect, names in samples.in_turn(AVR_DIALECTS if is_avr else DIALECTS, among=read):
        check_dialect(gcc, dialect, samples.unit(names, tmp_path))
    if target.architecture == "host":
        check_dialect([*gcc, "-m32"], "c11", samples.unit(samples.names, tmp_path))
        for names in samples.with_same_includes():
            check_dialect(gcc, "c11", samples.unit(names, tmp_path))


@pytest.mark.parametrize("target_name", CLANG_TARGETS)
def test_clang(target_name: str, written: Callable[[str], Written], tmp_path: Path) -> None:
    """For what it makes code for; `noclone` is a word of GCC alone."""
    samples = written(target_name)
    machine_flags = load_target(target_name).toolchain.machine_flags
    clang, level, *machine = CLANG_TARGETS[target_name]
    command = [clang, *machine, *machine_flags, "-ffreestanding", f"-I{samples.folder}"]
    made = set(samples.with_assembly)
    if target_name in CLANG_MAKES:
        made |= turns_of(target_name, CLANG_MAKES, written, choose=with_new_functions)
    compile_unit([*command, "-std=gnu11", level], samples.unit(sorted(made), tmp_path))
    alike = [name for name, (other, *_) in CLANG_TARGETS.items() if other == clang]
    read = turns_of(target_name, alike, written)
    for dialect, names in samples.in_turn(DIALECTS, among=read):
        check_dialect(command, dialect, samples.unit(names, tmp_path))
    check_dialect(command, "c11", samples.unit(samples.names, tmp_path))


@pytest.mark.parametrize("target_name", ["nrf51", "host"])
def test_gcc_5_for_32_bits(
    target_name: str, written: Callable[[str], Written], tmp_path: Path
) -> None:
    """A loop's `unroll` is a word that GCC knows since version 8."""
    samples = written(target_name)
    unit = samples.unit(sorted(turns_of(target_name, ("nrf51", "host"), written)), tmp_path)
    command = [*GCC_5_IN_32_BITS, f"-I{samples.folder}", "-fsyntax-only", str(unit)]
    run_tool(command, where=target_name)


def cpp_source(samples: Written, folder: Path) -> Path:
    """A program that includes every header and calls what a header defines; nothing else that is
    included defines INT8_MAX, as before C++11."""
    lines = ["#include <stdint.h>", "#undef INT8_MAX", "#undef INT8_MIN"]
    calls = []
    for name in samples.names:
        text = (samples.folder / f"{name}.h").read_text(encoding="utf-8")
        lines.append(f'#include "{name}.h"')
        converting = rf"inline (\w+) ({name}_(?:de)?quantize_\w+)\((\w+) \w+\)"
        calls += re.findall(converting, text)
    assert len(calls) >= len(samples.names)
    for result, function, parameter in calls:
        head = f"{result} call_{function}({parameter} value)"
        lines.append(f"{head};\n{head}\n{{\n    return {function}(value);\n}}")
    source = folder / "program.cpp"
    source.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return source


@pytest.mark.parametrize("compiler", CPP_COMPILERS)
def test_header_in_cpp(compiler: str, written: Callable[[str], Written], tmp_path: Path) -> None:
    """From C++98 on, which has no INT8_MAX and no other cast than its own."""
    samples = written("nrf51")
    source = cpp_source(samples, tmp_path)
    own = () if "clang" in compiler else GPP_WARNINGS
    flags = [*STRICT_CPP, *own, "-ffreestanding", "-fsyntax-only", f"-I{samples.folder}"]
    for dialect in CPP_COMPILERS[compiler]:
        run_tool([compiler, f"-std={dialect}", *flags, str(source)], where=dialect)


@pytest.mark.parametrize("target_name", [each for each in LEVELS if each != "host"])
def test_assembly(target_name: str, written: Callable[[str], Written]) -> None:
    """It declares all that its instructions do, and an output that it does not is missed."""
    samples, architecture = written(target_name), load_target(target_name).architecture
    texts = [samples.text(name) for name in sorted(samples.with_assembly)]
    seen: set[str] = set()
    found = [one for text in texts for one in statements(text, architecture, seen)]
    assert len(found) >= LEAST_ASSEMBLY[target_name]
    wrong = {each.text: its for each in found if (its := faults(each, architecture))}
    assert not wrong
    broken = [other for each in found for other in without_an_output(each)]
    missed = [each for each in broken if faults(each, architecture)]
    assert len(missed) >= 0.9 * len(broken), "some are given back as they were"


@pytest.mark.parametrize(("target_name", "compiler"), LEAST)
def test_assembly_in_objects(
    target_name: str, compiler: str, written: Callable[[str], Written], tmp_path: Path
) -> None:
    """The same of the machine code that an assembler makes of it, with the registers that the
    compiler chose: what is left out of the text is in no other place there."""
    target, samples = target_or_skip(target_name), written(target_name)
    text = samples.unit(sorted(samples.of_each_assembly), tmp_path).read_text(encoding="utf-8")
    program, _, *machine = CLANG_TARGETS[target_name] if compiler == "clang" else ("", "")
    tools = tools_of(target, [program, *machine] if program else [], samples.folder)
    found = list(assembled(tools, marked(text, target.architecture), tmp_path))
    assert len({each.text for each in found}) >= LEAST[target_name, compiler]
    check(found, target.architecture)


def test_every_kernel_and_every_piece_is_compiled(written: Callable[[str], Written]) -> None:
    """Whatever is added has to be among the samples."""
    kernels: set[str] = set()
    pieces: set[Path] = set()
    for target_name in LEVELS:
        features = load_target(target_name).features
        words = written(target_name).words
        kernels |= words
        pieces |= {runtime.template_of(piece, features) for piece in words & runtime.all_pieces()}
    assert kernels >= {plain_kernel(kernel.name) for kernel in _kernels()}
    assert pieces >= runtime.all_files()


def _kernels() -> Iterator[Kernel]:
    """All that there are, those for input in pieces and for weights far away included."""
    far_features = load_target("atmega2560").features | Weights.PACKED.feature
    for op in builtin_operators().values():
        for kernel in (each for each in op.kernels if each.form is not Form.CALL):
            for each in (kernel, kernel.in_rows or kernel):
                yield each
                if each.has_far_form and kernel.requires <= far_features:
                    yield each.far_form
