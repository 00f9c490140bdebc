"""What the instructions of a core take: its table in a target file, and how they are told apart."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.target.test_floors import FAMILY
from tests.target.test_target import MEMBER, error_of, write_targets
from tinyml_rules.target.cycles import ENCODINGS, Cycles, Rule
from tinyml_rules.target.target import load_target

TABLES = """
[cycles.small]
source = "a manual"
load = "2"
load_after_load = "1"
load_multiple_to_pc = "3 + N"
branch_if_taken = "3"
[cycles.other]
source = "another"
"""


WITH_CORE = MEMBER.replace("clock_hz", 'core = "small"\nclock_hz')


def cycles(folder: Path, *, core: str | None) -> Cycles | None:
    """Of a member of a family with tables."""
    member = WITH_CORE.replace("small", core) if core else MEMBER
    search = write_targets(folder, family=FAMILY + TABLES, member=member)
    return load_target("member", search=search).cycles


def rule_of(found: Cycles, encoding: int, bits: int) -> Rule | None:
    """The first that fits an instruction, as a little-endian load of it."""
    rules = (rule for rule in found.rules if rule.bits == bits)
    return next((rule for rule in rules if encoding & rule.mask == rule.value), None)


def test_the_core_chooses(tmp_path: Path) -> None:
    """Whose manual it is."""
    found = cycles(tmp_path, core="small")
    assert found
    assert found.source == "a manual"


def test_no_core(tmp_path: Path) -> None:
    """Without one there is no estimate."""
    assert cycles(tmp_path, core=None) is None


def test_rules(tmp_path: Path) -> None:
    """What a table leaves out takes a cycle; N counts the registers, the one of the PC included."""
    found = cycles(tmp_path, core="small")
    assert found
    load = rule_of(found, 0x9800, 16)  # ldr r0, [sp]
    assert load
    assert (load.cost, load.after_load, load.is_load) == (2, 1, True)
    pop = rule_of(found, 0xBD10, 16)  # pop {r4, pc}
    assert pop
    assert (pop.cost, pop.each, pop.listed) == (3, 1, 0x1FF)
    pop = rule_of(found, 0x8FF0_E8BD, 32)  # pop.w {r4-r11, pc}
    assert pop
    assert (pop.cost, pop.each, pop.listed) == (3, 1, 0xFFFF_0000)
    branch = rule_of(found, 0xD0FE, 16)  # beq
    assert branch
    assert (branch.cost, branch.taken) == (1, 3)
    assert rule_of(found, 0x1840, 16) is None  # adds r0, r0, r1


@pytest.mark.parametrize(
    ("tables", "error"),
    [
        ("", "'core' is 'small', expected one of (none)"),
        ('[cycles.smal]\nsource = "x"', "'core' is 'small', expected one of smal"),
        ('[cycles.small]\nload = "2"', "missing 'cycles.small.source'"),
        (
            '[cycles.small]\nsource = "x"\nlod = "2"',
            "'cycles.small.lod' is not a class of instructions, expected one of load_to_pc, load, ",
        ),
        (
            '[cycles.small]\nsource = "x"\nload = "2 or 1"',
            "'cycles.small.load' is '2 or 1', expected cycles, such as '2' or '1 + N'",
        ),
        ('[cycles.small]\nsource = "x"\nload = 2', "'cycles.small.load' is 2, expected a string"),
    ],
)
def test_errors(tables: str, error: str, tmp_path: Path) -> None:
    """The key and what was expected."""
    assert error in error_of(tmp_path, WITH_CORE, family=FAMILY + tables)


@pytest.mark.parametrize("architecture", ENCODINGS)
def test_patterns(architecture: str) -> None:
    """Of 16 or 32 bits, none twice."""
    patterns = [each for found in ENCODINGS[architecture].values() for each in found]
    assert len(set(patterns)) == len(patterns)
    for pattern in patterns:
        assert len(pattern.replace(" ", "")) in (16, 32)
        assert set(pattern) <= set("01xrR ")
