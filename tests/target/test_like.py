"""A target that is like another one: what it takes over, what is its own, and every mistake."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.target.test_target import FAMILY, MEMBER
from tinyml_rules.errors import TargetError
from tinyml_rules.target.target import Target, load_target
from tinyml_rules.target.toolchain import MemoryRegion

TWIN = """
description = "a twin"
like = "member"
clock_hz = 2_000_000
[memory]
flash = { origin = 64, bytes = 2048 }
ram = { origin = 0x2000_0000, bytes = 1024 }
"""
MORE = """
[power]
volts = 3.0
active_ma = 1.0
source = "a datasheet"
[programmer]
program = "cp"
package = "coreutils"
format = "bin"
command = ["{file}"]
"""


def load(folder: Path, name: str = "twin", **texts: str) -> Target:
    """The target `name` beside a family and a member of it, and whatever `texts` has."""
    for each, text in {"family": FAMILY, "member": MEMBER, "twin": TWIN, **texts}.items():
        (folder / each).mkdir()
        (folder / each / "target.toml").write_text(text, encoding="utf-8")
    for file in ("link.ld", "startup.c"):
        (folder / "family" / file).touch()
    (folder / "member" / "boot.c").touch()
    return load_target(name, search=(folder,))


def test_the_core_is_the_others(tmp_path: Path) -> None:
    """And the machine for tests with the memory there."""
    twin = load(tmp_path, member=MEMBER + MORE)
    member = load_target("member", search=(tmp_path,))
    assert (twin.like, member.like) == ("member", "")
    for name in ("architecture", "features", "toolchain", "runner", "tools", "cycles"):
        assert getattr(twin, name) == getattr(member, name)
    assert twin.test_memory == member.test_memory == member.memory


def test_the_part_is_its_own(tmp_path: Path) -> None:
    """Files, too: a boot block is for one part."""
    twin = load(tmp_path, member=MEMBER + MORE)
    assert twin.memory
    assert twin.memory.flash == MemoryRegion(64, 2048)
    assert (twin.description, twin.clock_hz) == ("a twin", 2_000_000)
    assert (twin.power, twin.programmer) == (None, None)
    assert twin.file("boot.c") is None
    assert twin.file("startup.c") == tmp_path / "family" / "startup.c"
    names = ["twin", "member", "family"]  # all that it depends on
    assert [folder.name for folder in twin.folders] == names


def test_what_is_written_stands_for_the_others(tmp_path: Path) -> None:
    """Flags of the family stay; another machine has its own memory."""
    own = '[toolchain]\ncompile_flags = ["-mcpu=cortex-m4"]\n[runner]\nmachine = "mps2-an386"\n'
    twin = load(tmp_path, twin=TWIN + own)
    assert twin.toolchain.compile_flags == ("-mthumb", "-mcpu=cortex-m4")
    assert twin.runner.machine == "mps2-an386"
    assert twin.test_memory == twin.memory


def test_a_child_of_a_twin(tmp_path: Path) -> None:
    """It is like nobody, and has the twin's files and no others."""
    text = 'description = "a child"\nparent = "twin"\n'
    child = load(tmp_path, "child", child=text)
    assert child.like == ""
    assert child.memory
    assert child.memory.flash == MemoryRegion(64, 2048)
    assert child.file("boot.c") is None


@pytest.mark.parametrize(
    ("line", "what", "hint"),
    [
        (
            'like = "member"\nparent = "family"',
            "found both 'like' and 'parent', expected one of them",
            "'like' brings the other one's parent",
        ),
        (
            'like = "membr"',
            "'like' names the unknown target 'membr'",
            "did you mean 'member'?",
        ),
        (
            'like = "family"',
            "'like' names 'family', a family, expected a target",
            "'parent' may name a family",
        ),
        (
            'like = "other"',
            "'like' names 'other', which is like 'member' itself",
            "name 'member'",
        ),
    ],
)
def test_mistakes(tmp_path: Path, line: str, what: str, hint: str) -> None:
    text = TWIN.replace('like = "member"', line)
    with pytest.raises(TargetError) as caught:
        load(tmp_path, twin=text, other=TWIN)
    assert str(caught.value) == f"{tmp_path}/twin/target.toml: error: {what}\n  hint: {hint}"
