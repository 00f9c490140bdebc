"""A second memory region: tensors lie where they were placed, and every mistake has its error."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.arena.models import assert_equals_tflm, compiled, symbols_of
from tests.conftest import ZooModel
from tests.support.hand_written import target_or_skip
from tests.support.stages import passed
from tinyml_rules.cli import main
from tinyml_rules.errors import DoesNotFitError, TargetError, UsageError
from tinyml_rules.firmware.build import build_image
from tinyml_rules.firmware.measure import measure_image
from tinyml_rules.ir.interface import ArenaMode
from tinyml_rules.lower.select import select
from tinyml_rules.ops import builtin_operators
from tinyml_rules.plan.lifetimes import lifetimes
from tinyml_rules.plan.memory_plan import MemoryPlan
from tinyml_rules.plan.place import place
from tinyml_rules.plan.schedule import schedule
from tinyml_rules.plan.tasks import Schedule
from tinyml_rules.plan.verify import verify_plan
from tinyml_rules.request.options import OPTIONS
from tinyml_rules.target.target import Target, default_search, load_target

# the upper part of the RAM, of the part itself and of the board that runs its test images
ARM = """
description = "an nRF52840 with two kinds of RAM"
parent = "nrf52840"
[memory]
ram = { origin = 0x2000_0000, bytes = 131_072 }
fast = { origin = 0x2002_0000, bytes = 4_096 }
[runner.memory]
ram = { origin = 0x2000_0000, bytes = 2_097_152 }
fast = { origin = 0x2020_0000, bytes = 4_096 }
slow = { origin = 0x2100_0000, bytes = 65_536 }
"""
AVR = """
description = "an ATmega328 with two kinds of RAM"
parent = "atmega328"
[memory]
ram = { origin = 0x80_0100, bytes = 1_024 }
fast = { origin = 0x80_0500, bytes = 1_024 }
"""

# tensors of speech: the input, what the stream makes, the logits, the output
INPUT, RELU, LOGITS, OUTPUT = "3", "#2", "add_1", "9"


def part(folder: Path, text: str = ARM, *, needs: str = "nrf52840") -> Target:
    """A target of this text."""
    target_or_skip(needs)
    (folder / "targets" / "part").mkdir(parents=True)
    (folder / "targets" / "part" / "target.toml").write_text(text)
    return load_target("part", search=(folder / "targets", *default_search()))


@pytest.mark.parametrize("arena", list(ArenaMode))
@pytest.mark.parametrize(
    ("tensors", "is_pushed"),
    [
        ((INPUT,), False),
        ((INPUT,), True),
        ((RELU, OUTPUT), False),
        ((INPUT, RELU, LOGITS, OUTPUT), False),
        ((INPUT, RELU, LOGITS, OUTPUT), True),
    ],
)
def test_equals_tflm(
    tensors: tuple[str, ...],
    is_pushed: bool,
    arena: ArenaMode,
    zoo_model: ZooModel,
    tmp_path: Path,
) -> None:
    """And the tensors lie in the region, the others do not."""
    target, model = part(tmp_path), zoo_model("speech")
    places = tuple((tensor, "fast") for tensor in tensors)
    made = compiled(model, target, arena, places=places, is_pushed=is_pushed)
    elf = assert_equals_tflm(made, model, target, tmp_path / "build")
    symbols = symbols_of(elf)
    assert target.test_memory
    address, size = symbols["speech_arena_fast"]
    assert size == made.report.region_bytes["fast"]
    assert address == target.test_memory.regions["fast"].origin
    main_arena = {"static": "speech_arena", "shared": "tinyml_shared_arena", "caller": "arena"}
    apart = made.report.state_bytes if arena is ArenaMode.STATIC else 0
    if made.report.arena_bytes > apart:
        address, _ = symbols[main_arena[arena]]
        assert address < target.test_memory.regions["fast"].origin


def test_two_regions(zoo_model: ZooModel, tmp_path: Path) -> None:
    text = ARM.replace("[runner.memory]", "slow = { origin = 0, bytes = 9 }\n[runner.memory]")
    target, model = part(tmp_path, text), zoo_model("speech")
    made = compiled(model, target, places=((INPUT, "fast"), (OUTPUT, "slow")))
    assert made.report.region_bytes == {"fast": 1960, "slow": 4}
    symbols = symbols_of(assert_equals_tflm(made, model, target, tmp_path / "build"))
    assert symbols["speech_arena_slow"] == (0x2100_0000, 4)


def test_on_avr(zoo_model: ZooModel, tmp_path: Path) -> None:
    target, model = part(tmp_path, AVR, needs="atmega328"), zoo_model("sine")
    made = compiled(model, target, places=(("3", "fast"),))
    elf = assert_equals_tflm(made, model, target, tmp_path / "build")
    assert symbols_of(elf)["sine_arena_fast"] == (0x80_0500, 15)


def test_ram_is_without_the_region(zoo_model: ZooModel, tmp_path: Path) -> None:
    target, model = part(tmp_path), zoo_model("speech")
    whole, apart = (
        measure_image(
            target,
            build_image(
                target, sources=made.files, interface=made.interface, folder=tmp_path / folder
            ),
        )
        for folder, made in (
            ("whole", compiled(model, target)),
            ("apart", compiled(model, target, places=((INPUT, "fast"),))),
        )
    )
    assert whole.static_ram_bytes - apart.static_ram_bytes >= 1960 - 8
    assert abs(whole.flash_bytes - apart.flash_bytes) < 128


def planned(model: Path) -> tuple[Schedule, MemoryPlan]:
    """Speech with its output and what the stream makes in a region of their own."""
    graph = passed(model.read_bytes(), name="speech")
    steps = schedule(select(graph, frozenset(), builtin_operators()))
    regions = {2: "fast", 9: "fast"}
    return steps, place(steps, lifetimes(steps), regions=regions, state_bytes=8)


def test_the_proof_of_a_plan_with_several_arenas(zoo_model: ZooModel) -> None:
    steps, plan = planned(zoo_model("speech"))
    verify_plan(steps, plan)
    assert min(plan.offsets[tensor] for tensor in (3, 6)) == plan.state_bytes


@pytest.mark.parametrize("tensor", [3, 6, 2, 9])
@pytest.mark.parametrize("offset", [-1, 7, 100_000])
def test_a_tensor_outside_its_arena(tensor: int, offset: int, zoo_model: ZooModel) -> None:
    """7: in the main arena that is in front of the tensors, in the other beyond its end."""
    steps, plan = planned(zoo_model("speech"))
    if offset == 7 and tensor in plan.regions:
        offset = plan.region_bytes["fast"] - 3
    with pytest.raises(AssertionError, match="leaves the arena"):
        verify_plan(steps, replace(plan, offsets={**plan.offsets, tensor: offset}))


def test_a_tensor_in_the_wrong_region(zoo_model: ZooModel) -> None:
    """What is proved is the region that the plan names, not the one that was meant."""
    steps, plan = planned(zoo_model("speech"))
    offsets = {**plan.offsets, 2: plan.offsets[3]}
    with pytest.raises(AssertionError, match="overwritten"):
        verify_plan(steps, replace(plan, regions={9: "fast"}, offsets=offsets))


@pytest.mark.parametrize(
    ("where", "message"),
    [
        (
            ("Relux", "fast"),
            "speech: error: unknown tensor 'Relux'\n  hint: did you mean 'Relu'?",
        ),
        (
            ("#99", "fast"),
            "speech: error: unknown tensor '#99'\n  hint: `tinyml_rules inspect --all`",
        ),
        (
            ("#7", "fast"),
            "speech: error: tensor #7 'final_fc_weights/read/transpose' is a constant, so it takes",
        ),
        (
            ("2", "fats"),
            "speech: error: unknown region 'fats', target 'part' has fast\n"
            "  hint: did you mean 'fast'?",
        ),
        (
            ("2", "psram"),
            "speech: error: unknown region 'psram', target 'part' has fast\n"
            "  hint: name it under [memory] in target.toml",
        ),
    ],
)
def test_mistakes(
    where: tuple[str, str], message: str, zoo_model: ZooModel, tmp_path: Path
) -> None:
    with pytest.raises(UsageError) as caught:
        compiled(zoo_model("speech"), part(tmp_path), places=(where,))
    assert str(caught.value).startswith(message)


def test_one_tensor_in_two_regions(zoo_model: ZooModel, tmp_path: Path) -> None:
    """Under two names: a reshaped tensor is the same bytes."""
    text = ARM.replace("[runner.memory]", "slow = { origin = 0, bytes = 9 }\n[runner.memory]")
    with pytest.raises(UsageError) as caught:
        compiled(zoo_model("speech"), part(tmp_path, text), places=(("3", "fast"), ("4", "slow")))
    assert str(caught.value) == (
        "speech: error: the bytes of tensor #4 'Reshape_2' are placed in both 'fast' and 'slow'"
    )


def test_no_regions_at_all(zoo_model: ZooModel) -> None:
    with pytest.raises(UsageError, match="unknown region 'fast', target 'host' has none"):
        compiled(zoo_model("speech"), load_target("host"), places=(("2", "fast"),))


def test_too_small_for_the_tensors(zoo_model: ZooModel, tmp_path: Path) -> None:
    target = part(tmp_path, ARM.replace("bytes = 4_096", "bytes = 1_024", 1))
    with pytest.raises(DoesNotFitError) as caught:
        compiled(zoo_model("speech"), target, places=((INPUT, "fast"),))
    assert str(caught.value) == (
        "speech: error: needs 1,960 bytes of region 'fast' for the model alone, target 'part' "
        "has 1,024; largest: tensor #3 'Reshape_1' with 1,960 bytes"
    )


def test_too_small_for_all_that_is_linked(zoo_model: ZooModel, tmp_path: Path) -> None:
    """What the compiler cannot know, the linker says."""
    target = part(tmp_path, ARM.replace("2020_0000, bytes = 4_096", "2020_0000, bytes = 1_024"))
    made = compiled(zoo_model("speech"), target, places=((INPUT, "fast"),))
    with pytest.raises(DoesNotFitError, match="region `fast' overflowed by 936 bytes"):
        build_image(
            target,
            sources=made.files,
            interface=made.interface,
            kind="test",
            folder=tmp_path / "build",
        )


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (
            "fast =",
            "fst =",
            "'memory.fst' is not a region of the linker script, which has fast, slow\n"
            "  hint: did you mean 'fast'?",
        ),
        ("\nfast = { origin = 0x2020_0000, bytes = 4_096 }", "", "missing 'runner.memory.fast'"),
        ("0x2002_0000, bytes = 4_096", "0x2002_0000", "missing 'memory.fast.bytes'"),
    ],
)
def test_mistakes_in_a_target(old: str, new: str, message: str, tmp_path: Path) -> None:
    assert old in ARM
    with pytest.raises(TargetError) as caught:
        part(tmp_path, ARM.replace(old, new))
    assert message in str(caught.value)


@pytest.mark.parametrize("word", ["2", "=fast", "2="])
def test_malformed_place(word: str) -> None:
    with pytest.raises(UsageError) as caught:
        OPTIONS["place"].parse([word])
    assert str(caught.value) == f"place: error: found '{word}', expected TENSOR=REGION"


def test_a_name_may_hold_an_equals_sign() -> None:
    assert OPTIONS["place"].parse(["a=b=fast"]) == (("a=b", "fast"),)


def test_command_line(
    zoo_model: ZooModel, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    part(tmp_path)
    command = ["compile", str(zoo_model("speech")), "--target", "part", "--out", str(tmp_path)]
    command += ["--targets", str(tmp_path / "targets")]
    assert main([*command, "--place", "3=fast", "--place", "Relu=fast"]) == 0
    assert "fast 2,120 B" in capsys.readouterr().out
    assert main([*command, "--place", "3=fats"]) == UsageError.exit_status
