"""What the instructions of a core take: its table in a target file, and how they are told apart."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.target.test_floors import FAMILY
from tests.target.test_target import MEMBER, error_of, write_targets
from tinyml_rules.target.cycles import Cycles, Pairing, Rule
from tinyml_rules.target.encodings import ENCODINGS, Role, in_memory, operands
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
[cycles.wide]
source = "a measurement"
issue_width = 2
alone = ["load_multiple"]
first_of_pair = ["bit_field"]
forwarded = ["move_or_add"]
early_operands = ["address", "loaded_factor"]
late_operands = ["accumulator"]
load = "1"
load_multiple = "N / 2"
multiply_accumulate_result = "2"
branch_if_after_short = "0"
[cycles.wide.pipes]
memory = ["load", "store"]
shifts = ["bit_field", "load"]
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
    assert (pop.cost, pop.per_cycle, pop.listed) == (3, 1, 0x1FF)
    pop = rule_of(found, 0x8FF0_E8BD, 32)  # pop.w {r4-r11, pc}
    assert pop
    assert (pop.cost, pop.per_cycle, pop.listed) == (3, 1, 0xFFFF_0000)
    branch = rule_of(found, 0xD0FE, 16)  # beq
    assert branch
    assert (branch.cost, branch.taken) == (1, 3)
    add = rule_of(found, 0x1840, 16)  # adds r0, r0, r1
    assert add
    assert (add.cost, add.result, add.pairing) == (1, 1, Pairing(0))


def test_two_in_a_cycle(tmp_path: Path) -> None:
    """How instructions pair, what they wait for, and which pipes they take."""
    found = cycles(tmp_path, core="wide")
    assert found
    assert found.issue_width == 2
    # ordinary, address, shifted, factor, accumulator, stored, factor from a load
    assert found.leads == (0, 1, 0, 0, -1, 0, 1)
    lists = rule_of(found, 0xC83C, 16)  # ldmia r0!, {r2-r5}
    assert lists
    assert (lists.cost, lists.per_cycle, lists.listed) == (0, 2, 0xFF)
    assert lists.pairing == Pairing.ALONE
    assert lists.operands == ((Role.ADDRESS, 0x700), (Role.BASE, 0x700))
    field = rule_of(found, 0x0001_F3C0, 32)  # ubfx r0, r0, #0, #2
    assert field
    assert (field.pairing, field.pipes) == (Pairing.FIRST, 2)
    accumulate = rule_of(found, 0x0102_FB03, 32)  # mla r1, r3, r2, r0
    assert accumulate
    assert (accumulate.cost, accumulate.result) == (1, 2)
    assert set(accumulate.operands) == {
        *((Role.FACTOR, 0xF), (Role.ACCUMULATOR, 0xF000_0000)),
        *((Role.RESULT, 0x0F00_0000), (Role.FACTOR, 0x000F_0000)),
    }
    branch = rule_of(found, 0xD0FE, 16)  # beq
    assert branch
    assert (branch.cost, branch.after_short) == (1, 0)


def test_finer_classes(tmp_path: Path) -> None:
    """A load of a byte takes what any load takes, if the table has nothing else."""
    small = cycles(tmp_path, core="small")
    assert small
    byte, word = rule_of(small, 0x7800, 16), rule_of(small, 0x6800, 16)  # ldrb, ldr r0, [r0]
    assert byte
    assert word
    assert (byte.cost, byte.after_load) == (word.cost, word.after_load) == (2, 1)


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
        (
            '[cycles.small]\nsource = "x"\nload = "N / 3"',
            "'cycles.small.load' is 'N / 3', expected cycles, such as '2' or '1 + N'",
        ),
        (
            '[cycles.small]\nsource = "x"\nload_taken = "2"',
            "'cycles.small.load_taken' is not a class of instructions",
        ),
        (
            '[cycles.small]\nsource = "x"\nalone = ["lod"]',
            "'cycles.small.alone' has 'lod', expected one of load_to_pc, load, ",
        ),
        (
            '[cycles.small]\nsource = "x"\nearly_operands = ["base"]',
            "'cycles.small.early_operands' has 'base', expected one of address, shifted, ",
        ),
        (
            '[cycles.small]\nsource = "x"\n[cycles.small.pipes]\nmemory = ["lod"]',
            "'cycles.small.pipes.memory' has 'lod', expected one of load_to_pc, load, ",
        ),
        (
            '[cycles.small]\nsource = "x"\nissue_width = "2"',
            "'cycles.small.issue_width' is '2', expected a whole number",
        ),
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
        text = in_memory(pattern, architecture)
        assert len(text) in (16, 32)
        registers = [mask.bit_count() for _, mask in operands(text)]
        assert set(registers) <= {3, 4}, pattern
        letters = {each for each in pattern if each.isalpha()} - set("xrR")
        assert len(letters) <= len(registers), pattern
