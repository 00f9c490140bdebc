"""The tool in an environment that has a toolchain of its own: it takes over nothing."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.frontends.builds import SINE, architecture, has_worked, scons, symbols
from tests.frontends.conftest import Build
from tests.frontends.node import check_node, copy_example
from tests.frontends.stranger import BARE_MAIN, answers, expected_answers, write_main
from tests.support.hand_written import target_or_skip

TOOL = 'env.Tool("tinyml", toolpath=[PyPackageDir("tinyml_rules.frontends.scons")], {settings})\n'
OWN = """\
env = Environment(
    CC="avr-gcc",
    AR="avr-ar",
    CCFLAGS=["-mmcu=atmega328p", "-Os", "-DOWN"],
    LINKFLAGS=["-mmcu=atmega328p"],
    PROGSUFFIX=".out",
    OBJSUFFIX=".obj",
)
"""
KEPT = (
    *("CC", "AR", "RANLIB", "LINK", "LINKCOM", "CCCOM", "CFLAGS", "CCFLAGS", "LINKFLAGS", "LIBS"),
    *("PROGSUFFIX", "OBJSUFFIX", "PROGEMITTER", "LIBEMITTER", "CPPPATH", "CPPDEFINES"),
)


def compared(before: str, settings: str) -> str:
    """An SConstruct that ends with an error if the tool changed a variable of the user's."""
    words = f"[str(env.get(name)) for name in {KEPT}]"
    tool = TOOL.format(settings=settings)
    return f"{before}before = {words}\n{tool}assert before == {words}, (before, {words})\n"


def test_example(tmp_path: Path, build_: Build) -> None:
    """The node as a stranger builds it: its own compiler and flags; every answer is TFLM's."""
    folder = copy_example("scons", tmp_path)
    printed = build_(folder)
    assert "TEST    build/atmega328/sine/sine_test.passed" in printed
    check_node(folder / "build" / "node.elf")
    assert not has_worked(build_(folder))


def test_nothing_is_taken_over(folder: Path, build_: Build) -> None:
    """Every variable of an environment with a cross compiler stays, for a part of the rules too."""
    target_or_skip("atmega328")
    (folder / "main.c").write_text(f"#ifndef OWN\n#error flags\n#endif\n{BARE_MAIN}")
    program = 'env.Program("fw", ["main.c", "sine.tflite"])\n'
    (folder / "SConstruct").write_text(compared(OWN, 'TINYML_TARGET="atmega328"') + program)
    build_(folder)
    found = symbols(folder / "fw.out")
    assert "sine_invoke" in found
    assert "__ctors_end" in found  # avr-libc's startup code
    assert "tinyml_reset" not in found
    assert (folder / "build" / "atmega328" / "sine" / "sine.obj").is_file()


def test_tests_and_firmware_beside_it(folder: Path, build_: Build) -> None:
    """What is measured and tested is built by the part's own rules, whatever the environment has,
    and does not collide with the objects of the user's program."""
    target_or_skip("atmega328")
    (folder / "main.c").write_text(BARE_MAIN)
    shutil.copy2(SINE / "vectors.npz", folder)
    lines = (
        'sine = env.TinymlModel("sine.tflite")[0]\n'
        'env.Program("fw", ["main.c", sine])\n'
        'env.TinymlFirmware("sine.tflite")\n'
        'env.TinymlTest("sine_test", "sine.tflite", vectors="vectors.npz")\n'
    )
    own = OWN.replace("-DOWN", "-Dsine_invoke=broken")
    tool = TOOL.format(settings='TINYML_TARGET="atmega328"')
    (folder / "SConstruct").write_text(own + tool + lines)
    build_(folder)
    assert "broken" in symbols(folder / "fw.out")
    assert "sine_invoke" in symbols(folder / "build" / "atmega328" / "sine" / "sine.elf")
    assert (folder / "build" / "atmega328" / "sine" / "sine_test.passed").is_file()


@pytest.mark.parametrize(
    ("choice", "compiler", "is_own"),
    [
        ("auto", None, False),
        ("auto", "gcc", False),
        ("auto", "avr-gcc", True),
        ("target", "avr-gcc", False),
        ("environment", "gcc", True),
    ],
)
def test_toolchain(
    choice: str, compiler: str | None, is_own: bool, folder: Path, build_: Build
) -> None:
    """Whose startup code and suffix the program has."""
    target_or_skip("atmega328")
    (folder / "SConstruct").write_text(
        f"env = Environment({f'CC={compiler!r}' if compiler else ''})\n"
        + TOOL.format(settings=f'TINYML_TARGET="atmega328", TINYML_TOOLCHAIN="{choice}"')
        + "print('FOUND', [env['PROGSUFFIX'], env['CC']])\n"
    )
    printed = build_(folder)
    expected = ["", compiler] if is_own else [".elf", "avr-gcc"]
    assert f"FOUND {expected}\n" in printed


def test_unknown_choice(folder: Path, installed_python: Path) -> None:
    (folder / "SConstruct").write_text(
        "env = Environment()\n" + TOOL.format(settings='TINYML_TOOLCHAIN="mine"')
    )
    done = scons(folder, python=installed_python)
    expected = "TINYML_TOOLCHAIN is 'mine', expected one of auto, target, environment"
    assert expected in done.stderr
    assert done.returncode == 2


def test_two_environments(folder: Path, build_: Build) -> None:
    """One for this computer and one for a part, in variant folders of one build; each has its own
    C, compiler and program, and flags of one are not those of the other."""
    target_or_skip("nrf52840")
    source = folder / "src"
    source.mkdir()
    (folder / "sine.tflite").rename(source / "sine.tflite")
    write_main(source, "sine")
    (source / "bare.c").write_text(BARE_MAIN)
    (source / "SConscript").write_text(
        'Import("env", "main")\nenv.Program("fw", [main, "sine.tflite"])\n'
    )
    (folder / "SConstruct").write_text(
        "for part, main in (('host', 'main.c'), ('nrf52840', 'bare.c')):\n"
        "    env = Environment()\n    "
        + TOOL.format(settings="TINYML_TARGET=part")
        + '    SConscript("src/SConscript", variant_dir=f"out/{part}", exports=["env", "main"])\n'
    )
    build_(folder)
    model = (source / "sine.tflite").read_bytes()
    assert answers(folder / "out" / "host" / "fw") == expected_answers(model)
    assert architecture(folder / "out" / "nrf52840" / "fw.elf") == "ARM"
    assert not has_worked(build_(folder))


def test_flags_of_ones_own(folder: Path, build_: Build) -> None:
    """With the part's toolchain: CCFLAGS that SCons sets after the tools come behind the part's."""
    target_or_skip("atmega328")
    (folder / "main.c").write_text(f"#if __OPTIMIZE_SIZE__ + OWN < 2\n#error\n#endif\n{BARE_MAIN}")
    (folder / "SConstruct").write_text(
        'env = Environment(tools=["default", "tinyml"], TINYML_TARGET="atmega328",\n'
        '    toolpath=[PyPackageDir("tinyml_rules.frontends.scons")],\n'
        '    CCFLAGS=["-Os", "-DOWN"], LINKFLAGS=["-Wl,--defsym=mine=7"], LIBS=["m"])\n'
        'env.Program("fw", ["main.c", "sine.tflite"], LIBS=[])\n'
    )
    assert "-Os -DOWN" in build_(folder)
    assert {"mine", "tinyml_reset"} <= symbols(folder / "fw.elf")


def test_clone(folder: Path, build_: Build) -> None:
    """The tool in a clone of an environment that has it, for another part: that part's program,
    one object for a file, and one file of its stack."""
    for target in ("atmega328", "nrf52840"):
        target_or_skip(target)
    (folder / "main.c").write_text(BARE_MAIN)
    (folder / "SConstruct").write_text(
        "env = Environment()\n"
        + TOOL.format(settings='TINYML_TARGET="atmega328"')
        + 'env.Program("one/fw", [env.Object("one/main.o", "main.c"), "sine.tflite"])\n'
        + "env = env.Clone()\n"
        + TOOL.format(settings='TINYML_TARGET="nrf52840"')
        + 'objects = env.Object("two/main.o", "main.c")\n'
        + 'sine = env.Object("two/sine.o", env.TinymlModel("sine.tflite")[0])\n'
        + 'env.Program("two/fw", [objects, sine])\n'
        + 'print("NODES", [str(node) for node in objects])\n'
    )
    assert "NODES ['two/main.o', 'two/main.su']\n" in build_(folder)
    assert architecture(folder / "one" / "fw.elf") == "Atmel AVR 8-bit"
    assert architecture(folder / "two" / "fw.elf") == "ARM"


def test_few_tools(folder: Path, build_: Build) -> None:
    """An environment that asked for C alone."""
    target_or_skip("atmega328")
    (folder / "main.c").write_text(BARE_MAIN)
    (folder / "SConstruct").write_text(
        'env = Environment(tools=["gcc", "gnulink", "ar", "tinyml"], TINYML_TARGET="atmega328",\n'
        '    toolpath=[PyPackageDir("tinyml_rules.frontends.scons")])\n'
        'env.Program("fw", ["main.c", "sine.tflite"])\n'
    )
    build_(folder)
    assert architecture(folder / "fw.elf") == "Atmel AVR 8-bit"


def test_host_beside_a_part(folder: Path, build_: Build) -> None:
    """A test on this computer, from an environment with the compiler of a part."""
    target_or_skip("atmega328")
    shutil.copy2(SINE / "vectors.npz", folder)
    line = 'env.TinymlTest("here", "sine.tflite", "vectors.npz", TINYML_TARGET="host")\n'
    tool = TOOL.format(settings='TINYML_TARGET="atmega328"')
    for environment in (OWN, "env = Environment()\n"):
        (folder / "SConstruct").write_text(environment + tool + line)
        build_(folder)
        stamp = folder / "build" / "host" / "sine" / "here.passed"
        assert stamp.read_text().startswith("sine on host: 256 samples equal")
        build_(folder, "-c")


def test_host_in_a_clone(folder: Path, installed_python: Path) -> None:
    """An environment that is a part's by now cannot be the host's too."""
    tools = [TOOL.format(settings=f'TINYML_TARGET="{part}"') for part in ("atmega328", "host")]
    (folder / "SConstruct").write_text(f"env = Environment()\n{tools[0]}{tools[1]}")
    done = scons(folder, python=installed_python)
    assert "this environment has the toolchain of a part" in done.stderr
    assert done.returncode == 2
