"""A profile: every account gets exactly its own instructions, and all add up to the run's total."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pytest

from tests.arena.test_early_ends import MODELS as ENDING
from tests.conftest import ZooModel
from tests.frontends.builds import SINE
from tests.plan.chains import random_chain
from tests.support.hand_written import CACHE, build_snippet, target_or_skip
from tests.weights.test_called import model as branching
from tests.weights.test_called import samples as branching_samples
from tinyml_rules.compiler import Compiled, compile_model
from tinyml_rules.firmware.build import build_image
from tinyml_rules.ir.accounts import BETWEEN, GOES_ON
from tinyml_rules.ir.graph import Array
from tinyml_rules.lower.choice import Optimize
from tinyml_rules.model_file.writer import build_model
from tinyml_rules.ops.while_.cases import loop
from tinyml_rules.plan.schedule import Mode
from tinyml_rules.reporting.firmware import NodeProfile, Profile
from tinyml_rules.reporting.record import to_json
from tinyml_rules.request.request import Request
from tinyml_rules.runners import RunResult, run_image
from tinyml_rules.runners.arrays import unpack_samples
from tinyml_rules.runners.marks import Counts
from tinyml_rules.runners.model import run_on_arrays
from tinyml_rules.runners.pattern import pattern_inputs
from tinyml_rules.runners.profile import profile_on_arrays
from tinyml_rules.target.target import load_target

TARGETS = ["atmega328", "lm3s6965", "riscv32imc", "xtensa_lx6", "esp8266"]
MOST_DIFFERENCE = 0.002
"""Of an image with marks from the real one, in parts of the total."""
MOST_IN_TINY_GRAPHS = 0.2
"""The same where a node takes few instructions, and a compiler sees several at once."""
MARK = re.compile(r"^\s*TINYML_AT\(\w+\);\n", re.M)


@dataclass(frozen=True)
class Profiled:
    """A profile, and the two compilations behind it."""

    plain: Compiled
    marked: Compiled
    profile: Profile

    def node(self, label: str) -> NodeProfile:
        (found,) = (each for each in self.profile.nodes if each.label == label)
        return found


def profiled(
    request: Request, inputs: Mapping[str, Array] | None = None, *, most: float = MOST_DIFFERENCE
) -> Profiled:
    """Runs both images; the profile's own figures are compared."""
    plain, marked = (compile_model(replace(request, marked=each)) for each in (False, True))
    given = inputs or pattern_inputs(plain.interface, samples=2)
    outcome = run_on_arrays(plain, request.target, given, where="test")
    profile = profile_on_arrays(
        marked,
        request.target,
        given,
        where="test",
        expected=unpack_samples(plain.interface, outcome.output),
        run=outcome.report.run,
        cache=CACHE,
    )
    real = to_json(outcome.report)[profile.unit]
    assert profile.total_without_marks == real
    assert profile.difference == profile.total - real
    assert abs(profile.difference) <= most * real
    nodes = sum(each.count for each in profile.nodes)
    assert profile.between_nodes + nodes == profile.total
    return Profiled(plain, marked, profile)


def counts_of(compiled: Compiled, part: str, samples: bytes, folder: Path) -> RunResult:
    """What the runner itself gives for each call."""
    target = load_target(part)
    image = build_image(
        target, sources=compiled.outputs, interface=compiled.interface, kind="test", folder=folder
    )
    return run_image(target, image, samples, cache=CACHE)


def mark_text() -> str:
    """The C of a mark, as generated files have it."""
    model = (SINE / "sine.tflite").read_bytes()
    text = compile_model(Request(model, "sine", load_target("host"), marked=True)).files["sine.c"]
    start = text.index('__asm__(".ifndef .Lhas_tinyml_at')
    last = text.index("#define TINYML_AT", start)
    return text[start : text.index("\n", last) + 1]


def nops(count: int) -> str:
    """So many instructions, of one cycle each."""
    return "".join('__asm__ volatile("nop");' for _ in range(count))


@pytest.mark.parametrize("part", TARGETS)
def test_known_instructions(part: str, tmp_path: Path) -> None:
    """Marks at one address, in a loop that may be unrolled, in a function that is inlined twice:
    what is between two of them is known."""
    body = f"""
    TINYML_AT(1); {nops(7)} TINYML_AT(0); {nops(2)}
    TINYML_AT(2); TINYML_AT(3); {nops(5)} TINYML_AT(0);
    for (int i = 0; i < 3; i++) {{ TINYML_AT(4); {nops(4)} TINYML_AT(0); {nops(1)} }}
    twice(); {nops(1)} twice();
    TINYML_AT(6); {nops(3)} TINYML_AT(7); {nops(2)}
    TINYML_AT({6 + GOES_ON:#x}); {nops(4)} TINYML_AT(0);
    """
    inlined = "static inline __attribute__((always_inline)) void twice(void)"
    before = f"{mark_text()}{inlined} {{ TINYML_AT(5); {nops(6)} TINYML_AT(0); }}"
    target = target_or_skip(part)
    image = build_snippet(target, tmp_path, invoke=body, before=before)
    result = run_image(target, image, b"ab", cache=CACHE)
    assert len(result.accounts) == len(result.counts) == 2
    known = ((7, 1), (0, 0), (5, 1), (12, 3), (12, 2), (7, 1), (2, 1))
    for accounts, count in zip(result.accounts, result.counts, strict=True):
        assert accounts[1:] == tuple(
            Counts(count, runs, count if target.cycles else 0) for count, runs in known
        )
        assert sum(each.count for each in accounts) == count
        assert accounts[BETWEEN].count > 2 + 3 + 1
    if target.cycles:
        sums = (sum(each.estimated_cycles for each in accounts) for accounts in result.accounts)
        assert tuple(sums) == result.estimated_cycles


@pytest.mark.parametrize("part", TARGETS)
def test_layers(part: str) -> None:
    """Three layers, two of which share a kernel's C, each with an account of its own."""
    target_or_skip(part)
    model = (SINE / "sine.tflite").read_bytes()
    found = profiled(Request(model, "sine", load_target(part), optimize=Optimize.LAYERS))
    assert [each.node for each in found.profile.nodes] == [0, 1, 2]
    macs = [each.macs for each in found.plain.report.nodes]
    assert [each.macs for each in found.profile.nodes] == macs
    first, second, last = (each.values for each in found.profile.nodes)
    assert macs == [first, first * second, second] and last == 1
    for each in found.profile.nodes:
        assert each.count > each.macs
        assert each.per_mac == pytest.approx(each.count / each.macs, abs=0.001)
        assert each.per_value == pytest.approx(each.count / each.values, abs=0.001)
        assert each.kind == "vector"
        assert each.floor is not None and each.times_floor is not None
        assert each.times_floor == pytest.approx(each.count / each.floor, rel=0.01)
        assert each.times_floor > 0.9
    assert found.profile.slowest[0] == "1 (fully_connected)"
    assert found.profile.between_nodes < 0.03 * found.profile.total


@pytest.mark.parametrize("part", TARGETS)
def test_rows_in_turn(part: str, tmp_path: Path) -> None:
    """A stream of pushed rows: a node is entered as often as it has rows, whoever is in between."""
    target = target_or_skip(part)
    generator = np.random.default_rng(88)
    model = random_chain(lambda low, high: int(generator.integers(low, high + 1)))
    request = Request(model, "chain", target, schedule=Mode.STREAM, push_rows=True)
    found = profiled(request, most=0.02)
    (stream, *_) = found.plain.report.streams
    assert len(stream) > 3
    inputs = np.concatenate(list(pattern_inputs(found.plain.interface).values()))
    result = counts_of(found.marked, part, inputs.tobytes(), tmp_path)
    assert len(result.accounts) == found.plain.interface.pushed_rows
    for accounts, count in zip(result.accounts, result.counts, strict=True):
        assert sum(each.count for each in accounts) == count
    if target.cycles:
        sums = (sum(each.estimated_cycles for each in accounts) for accounts in result.accounts)
        assert tuple(sums) == result.estimated_cycles
    for number, account in enumerate(found.marked.accounts, start=BETWEEN + 1):
        assert sum(call[number].count for call in result.accounts) >= account.macs // 4


def test_rows_are_counted(zoo_model: ZooModel, tmp_path: Path) -> None:
    """Each row of a convolution is a run of it, and each piece of a dense layer, which has a
    beginning and an end too."""
    target = target_or_skip("lm3s6965")
    model = zoo_model("speech").read_bytes()
    found = profiled(Request(model, "speech", target, push_rows=True))
    assert found.plain.report.streams == ((1, 2),)
    samples = b"\0" * found.plain.interface.inputs[0].count
    result = counts_of(found.marked, target.name, samples, tmp_path)
    runs = [sum(call[number].runs for call in result.accounts) for number in (1, 2, 3)]
    assert runs == [25, 25 + 2, 1]
    assert [each.runs for each in found.profile.nodes] == [1, 1, 1]


def test_rows_take_what_layers_take(zoo_model: ZooModel) -> None:
    """Row by row, each convolution has nearly the instructions that it has by itself, where its
    marks are one pair around a call.  A row has five pixels, of which the kernels of 1x1 windows
    take two at a time: of each row one is alone, by itself only the last of all."""
    target = target_or_skip("nrf52840")
    request = Request(zoo_model("kws").read_bytes(), "kws", target)
    rows, layers = (profiled(replace(request, schedule=mode)) for mode in (Mode.AUTO, Mode.LAYER))
    assert rows.plain.report.streams
    assert not layers.plain.report.streams
    pairs = zip(rows.profile.nodes, layers.profile.nodes, strict=True)
    for found, expected in list(pairs)[:9]:
        assert found.op.endswith("conv_2d")
        is_in_pairs = found.op == "conv_2d" and found.node > 0
        assert found.count == pytest.approx(expected.count, rel=0.08 if is_in_pairs else 0.01)


def test_early_end() -> None:
    """What is behind the place where the inference ends has not run."""
    target = target_or_skip("lm3s6965")
    request = Request(build_model(ENDING["one"]), "one", target)
    inputs = pattern_inputs(compile_model(request).interface)
    found = profiled(request, inputs, most=MOST_IN_TINY_GRAPHS)
    assert [(each.op, each.runs) for each in found.profile.nodes] == [
        *(("circular_buffer", 1), ("add", 0)),
    ]
    assert found.node("1").count == 0


@pytest.mark.parametrize("part", ["atmega328", "riscv32imc"])
def test_loop(part: str) -> None:
    """The nodes of a loop's graphs: so many turns, and the condition once more; each turn of the
    condition and of the loop itself takes the same."""
    target = target_or_skip(part)
    request = Request(build_model(loop()), "loop", target)
    counts = {}
    for turns in (1, 3, 6):
        inputs = {"n": np.array([[[turns]]], np.int8), "x": np.zeros((1, 1, 5), np.int8)}
        found = profiled(request, inputs, most=MOST_IN_TINY_GRAPHS)
        assert [found.node(label).runs for label in ("1:0", "2:0", "2:1", "0")] == [
            *(turns + 1, turns, turns, 1),
        ]
        counts[turns] = {each.label: each.count for each in found.profile.nodes}
    for label in ("1:0", "0"):
        later, earlier = (counts[b][label] - counts[a][label] for a, b in ((3, 6), (1, 3)))
        assert 2 * later == 3 * earlier > 0
    assert counts[6]["2:0"] > 5 * counts[1]["2:0"]


@pytest.mark.parametrize("part", ["atmega328", "riscv32imc"])
def test_branches(part: str) -> None:
    """Three layers with one kernel, in three graphs: what does not run has nothing."""
    target = target_or_skip(part)
    request = Request(build_model(branching()), "branching", target)
    values, which = branching_samples()
    for row in (0, 1):
        names = [port.tensor for port in compile_model(request).interface.inputs]
        inputs = dict(zip(names, (values[row : row + 1], which[row : row + 1]), strict=True))
        found = profiled(request, inputs, most=MOST_IN_TINY_GRAPHS)
        runs, idle = ("1:0", "2:0") if which[row] else ("2:0", "1:0")
        assert (found.node(idle).count, found.node(idle).runs) == (0, 0)
        assert found.node(idle).per_mac is None
        assert (found.node(runs).macs, found.node(runs).runs) == (36, 1)
        assert found.node(runs).count > 36
        assert 0 < found.node("1").count < found.node(runs).count


@pytest.mark.parametrize("model", ["sine", "chain"])
def test_only_marks_are_added(model: str) -> None:
    """Without its marks a file is the ordinary one, to the byte, and so are all others."""
    generator = np.random.default_rng(88)
    data = (SINE / "sine.tflite").read_bytes()
    if model == "chain":
        data = random_chain(lambda low, high: int(generator.integers(low, high + 1)))
    request = Request(data, "model", load_target("lm3s6965"), push_rows=model == "chain")
    plain, marked = (compile_model(replace(request, marked=each)).outputs for each in (False, True))
    text = str(marked["model.c"])
    assert len(MARK.findall(text)) >= 2 * len(compile_model(request).accounts)
    start, end = text.index("/* From here on a profile"), text.index("#define TINYML_AT")
    bare = text[:start] + text[text.index("\n\n", end) + 2 :]
    assert {**marked, "model.c": MARK.sub("", bare)} == plain
    assert "TINYML_AT" not in str(plain)
