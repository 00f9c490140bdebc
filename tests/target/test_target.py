"""Target files: inheritance, every mistake in them, and tools that are missing."""

from __future__ import annotations

from pathlib import Path

import pytest

from tinyml_rules.errors import TargetError, ToolError, UsageError
from tinyml_rules.firmware.board import flash_command
from tinyml_rules.ir.features import FEATURES
from tinyml_rules.target.missing import install_command, missing_tools, require_tools
from tinyml_rules.target.target import load_target, target_names
from tinyml_rules.target.toolchain import MemoryRegion

FAMILY = """
description = "a family"
abstract = true
architecture = "arm"
features = ["multiply_64"]
[toolchain]
prefix = "arm-none-eabi-"
compile_flags = ["-mthumb"]
[packages]
arm-none-eabi-gcc = "gcc-arm-none-eabi"
[runner]
kind = "qemu"
program = "qemu-system-arm"
"""
MEMBER = """
description = "a member"
parent = "family"
clock_hz = 1_000_000
[memory]
flash = { origin = 0, bytes = 1024 }
ram = { origin = 0x2000_0000, bytes = 512 }
[toolchain]
compile_flags = ["-mcpu=cortex-m3"]
[runner]
machine = "lm3s6965evb"
"""


def write_targets(folder: Path, **files: str) -> tuple[Path]:
    """A search path with these target.toml files."""
    for name, text in files.items():
        (folder / name).mkdir()
        (folder / name / "target.toml").write_text(text)
    return (folder,)


def error_of(folder: Path, member: str, *, family: str = FAMILY) -> str:
    """The message for a member with this target.toml."""
    search = write_targets(folder, family=family, member=member)
    with pytest.raises(TargetError) as caught:
        load_target("member", search=search)
    return str(caught.value).replace(str(folder), "")


@pytest.mark.parametrize("name", target_names())
def test_our_own_targets(name: str) -> None:
    target = load_target(name)
    assert target.features <= set(FEATURES)
    assert target.folders[0].joinpath("README.md").is_file()
    assert target.file("port.c")
    if target.architecture != "host":
        assert target.file("startup.c")
        assert target.toolchain.link_script
        assert target.memory
        assert target.clock_hz


def test_families_are_not_listed() -> None:
    assert {"host", "atmega328", "lm3s6965", "nrf52840"} <= set(target_names())
    assert not {"avr", "cortex_m"} & set(target_names())


def test_a_member_inherits(tmp_path: Path) -> None:
    search = write_targets(tmp_path, family=FAMILY, member=MEMBER)
    (tmp_path / "family" / "startup.c").touch()
    target = load_target("member", search=search)
    assert target.description == "a member"
    assert target.features == {"multiply_64"}
    assert target.toolchain.compile_flags == ("-mthumb", "-mcpu=cortex-m3")
    assert target.runner.program == "qemu-system-arm"
    assert target.runner.machine == "lm3s6965evb"
    assert target.file("startup.c") == tmp_path / "family" / "startup.c"
    assert target.file("link.ld") is None
    assert target.memory
    assert target.memory.flash == MemoryRegion(0, 1024)
    assert target.test_memory == target.memory


def test_test_images_may_have_a_memory_of_their_own() -> None:
    target = load_target("nrf52840")
    assert target.memory
    assert target.test_memory
    assert target.memory.flash.bytes == 1 << 20
    assert target.test_memory.flash.bytes == 4 << 20


def test_the_first_folder_of_the_search_wins(tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "theirs").mkdir()
    mine = write_targets(tmp_path / "mine", family=FAMILY, member=MEMBER)
    theirs = write_targets(tmp_path / "theirs", member=MEMBER.replace("a member", "another"))
    assert load_target("member", search=(*mine, *theirs)).description == "a member"
    assert load_target("member", search=(*theirs, *mine)).description == "another"


def test_unknown_target() -> None:
    with pytest.raises(UsageError) as caught:
        load_target("atmega382")
    assert str(caught.value) == (
        "atmega382: error: unknown target 'atmega382', "
        f"expected one of {', '.join(target_names())}\n"
        "  hint: did you mean 'atmega328'?"
    )


def test_a_family_is_no_target() -> None:
    with pytest.raises(UsageError) as caught:
        load_target("cortex_m")
    members = [name for name in target_names() if load_target(name).architecture == "arm"]
    assert len(members) > 5
    assert str(caught.value) == (
        "cortex_m: error: this is a family of targets\n"
        f"  hint: choose a member: {', '.join(members)}"
    )


@pytest.mark.parametrize(
    ("old", "new", "what", "hint"),
    [
        ("clock_hz", "clockhz", "unknown key 'clockhz'", "did you mean 'clock_hz'?"),
        ("machine", "machin", "unknown key 'runner.machin'", "did you mean 'machine'?"),
        ("bytes = 512", "size = 512", "unknown key 'memory.ram.size'", ""),
        (
            "clock_hz = 1_000_000",
            "",
            "missing 'clock_hz'",
            "add clock_hz here or in the target's parent",
        ),
        (
            ", bytes = 512",
            "",
            "missing 'memory.ram.bytes'",
            "add memory.ram.bytes here or in the target's parent",
        ),
        (
            'machine = "lm3s6965evb"',
            "",
            "missing 'runner.machine'",
            "add runner.machine here or in the target's parent",
        ),
        ("1_000_000", '"fast"', "'clock_hz' is 'fast', expected a whole number", ""),
        ("1_000_000", "true", "'clock_hz' is True, expected a whole number", ""),
        ("1_000_000", "-5", "'clock_hz' is -5, expected a whole number", ""),
        ("1_000_000", "0", "'clock_hz' is 0, expected a number above 0", ""),
        ("1_000_000", "9" * 400, f"'clock_hz' is too large, expected at most {2**63 - 1}", ""),
        (
            '["-mcpu=cortex-m3"]',
            "[3]",
            "'toolchain.compile_flags' is [3], expected a list of strings",
            "",
        ),
        (
            "[runner]",
            'features = ["multiply64"]\n[runner]',
            "unknown key 'toolchain.features'",
            "",
        ),
        (
            "clock_hz",
            'features = ["multiply64"]\nclock_hz',
            f"'features' has 'multiply64', expected one of {', '.join(FEATURES)}",
            "did you mean 'multiply_64'?",
        ),
        (
            "machine",
            'kind = "quemu"\nmachine',
            "'runner.kind' has 'quemu', expected one of host, simavr, qemu",
            "did you mean 'qemu'?",
        ),
        (
            "compile_flags",
            'prefix = "./bin/gone-"\ncompile_flags',
            "'toolchain.prefix' is './bin/gone-', but there is no ./bin/gone-gcc",
            "",
        ),
        (
            "machine",
            'word_access = ["flahs"]\nmachine',
            "'runner.word_access' has 'flahs', which is not a region of 'memory'",
            "did you mean 'flash'?",
        ),
    ],
)
def test_a_mistake_in_a_target_file(
    tmp_path: Path, old: str, new: str, what: str, hint: str
) -> None:
    assert old in MEMBER
    message = error_of(tmp_path, MEMBER.replace(old, new))
    expected = f"/member/target.toml: error: {what}"
    assert message == (f"{expected}\n  hint: {hint}" if hint else expected)


PROGRAMMER = """
[programmer]
program = "avrdude"
package = "avrdude"
format = "hex"
port = "/dev/ttyACM0"
command = ["-P", "{port}", "-U", "flash:w:{file}:i"]
"""


def test_a_programmer(tmp_path: Path) -> None:
    search = write_targets(tmp_path, family=FAMILY, member=MEMBER + PROGRAMMER)
    programmer = load_target("member", search=search).programmer
    assert programmer
    assert flash_command(programmer, file="a b.hex", port="COM3") == [
        *("avrdude", "-P", "COM3", "-U", "flash:w:a b.hex:i")
    ]


@pytest.mark.parametrize(
    ("old", "new", "what"),
    [
        ('package = "avrdude"', "", "missing 'programmer.package'"),
        ('port = "/dev/ttyACM0"', "", "missing 'programmer.port'"),
        ('"hex"', '"uf2"', "missing 'programmer.family'"),
        (
            '"hex"',
            '"heks"',
            "'programmer.format' has 'heks', expected one of bin, elf, esp8266, hex, uf2",
        ),
        ("command", "comand", "unknown key 'programmer.comand'"),
    ],
)
def test_a_mistake_in_a_programmer(tmp_path: Path, old: str, new: str, what: str) -> None:
    assert old in PROGRAMMER
    message = error_of(tmp_path, MEMBER + PROGRAMMER.replace(old, new))
    assert message.startswith(f"/member/target.toml: error: {what}")


def test_broken_toml(tmp_path: Path) -> None:
    message = error_of(tmp_path, "description = ")
    assert message.startswith("/member/target.toml: error: not valid TOML: ")


def test_unknown_parent(tmp_path: Path) -> None:
    message = error_of(tmp_path, MEMBER.replace('"family"', '"famly"'))
    assert message.startswith("/member/target.toml: error: unknown parent 'famly'")
    assert message.endswith("hint: did you mean 'family'?")


def test_a_target_that_is_its_own_ancestor(tmp_path: Path) -> None:
    message = error_of(tmp_path, MEMBER, family=FAMILY.replace("arch", 'parent = "member"\narch'))
    assert message == "/family/target.toml: error: target 'member' inherits from itself"


def test_a_firmware_is_built_without_the_tools_of_the_runner(tmp_path: Path) -> None:
    text = MEMBER + '[runner.packages]\nno_such_emulator = "its-package"\n'
    family = FAMILY.replace("arm-none-eabi-gcc =", "sh =")
    target = load_target("member", search=write_targets(tmp_path, family=family, member=text))
    require_tools(target, for_runs=False)
    with pytest.raises(ToolError) as caught:
        require_tools(target, for_runs=True)
    assert "missing tools: no_such_emulator (package its-package)" in str(caught.value)


def test_missing_tools(monkeypatch: pytest.MonkeyPatch) -> None:
    target = load_target("lm3s6965")
    monkeypatch.setenv("PATH", "")
    missing = missing_tools(target)
    assert {"arm-none-eabi-gcc", "qemu-system-arm", "gcc"} <= {tool.program for tool in missing}
    with pytest.raises(ToolError) as caught:
        require_tools(target, for_runs=True)
    message = str(caught.value)
    assert "arm-none-eabi-gcc (package gcc-arm-none-eabi)" in message
    assert message.endswith(f"hint: run: {install_command(missing)}")
    assert install_command(missing).startswith("sudo apt-get install --yes binutils-arm-none-eabi")
