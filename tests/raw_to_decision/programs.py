"""One program of many descriptions: raw bytes in; input, output and decisions out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from tests.raw_to_decision.drawn import Drawn
from tests.sensor.meaning import packed
from tests.support.combined import write_unit
from tests.support.counted_calls import FUNCTIONS, INVOKE_SYMBOL, main_of
from tests.support.images import linked, object_of
from tinyml_rules.compiler import Compiled, compile_model
from tinyml_rules.firmware.support import FIRMWARE_FOLDER, support_sources
from tinyml_rules.ir.interface import ArenaMode
from tinyml_rules.request.request import Request
from tinyml_rules.runners import run_image
from tinyml_rules.sensor.description import read_description
from tinyml_rules.system.process import run_program, run_tool
from tinyml_rules.target.target import HOST, Target, load_target
from tinyml_rules.target.toolchain import WARNING_FLAGS

HEAD = """\
#include <stdint.h>

#include "port.h"
"""
TAIL = """\
static uint8_t bytes[{most} + 1];

static void read(size_t size)
{{
    if (!tinyml_port_read(bytes + 1, size)) {{ /* no word is aligned */
        tinyml_port_exit(TINYML_EXIT_INPUT_TRUNCATED);
    }}
}}

void put(int32_t number); /* there may be nothing to decide */
void put(int32_t number)
{{
    tinyml_port_write(&number, sizeof number);
}}
"""


@dataclass(frozen=True)
class Case:
    """A description that was compiled, and the raw values of each call: [calls, samples,
    channels]; those of the last call may be out of range."""

    drawn: Drawn
    compiled: Compiled
    calls: np.typing.NDArray[np.int64]

    @property
    def name(self) -> str:
        """Of all symbols."""
        return self.drawn.name

    @property
    def count(self) -> int:
        """Values of the input."""
        return self.compiled.interface.inputs[0].count

    @property
    def data(self) -> bytes:
        """What the program reads."""
        rng = np.random.default_rng(len(self.calls))
        return b"".join(packed(self.drawn.input_table, each, rng) for each in self.rows)

    @property
    def rows(self) -> np.typing.NDArray[np.int64]:
        """What each call of the function takes."""
        return self.calls.reshape(-1, self.drawn.samples, self.drawn.channels)

    @property
    def label_bytes(self) -> int:
        """Of a copied label."""
        return max(len(label.encode()) for label in self.drawn.heads.labels) + 1


def case_of(drawn: Drawn, target: Target, folder: Path) -> Case:
    """Compile it for a target."""
    file = folder / f"{drawn.name}.toml"
    file.write_text(text_of(drawn), encoding="utf-8")
    request = Request(
        drawn.model,
        drawn.name,
        target,
        optimize=drawn.optimize,
        arena=drawn.arena,
        push_rows=drawn.rows > 0,
        sensor=read_description(file),
    )
    compiled = compile_model(request)
    for name, text in compiled.files.items():
        (folder / name).write_text(text, encoding="utf-8")
    return Case(drawn, compiled, calls_of(drawn))


def calls_of(drawn: Drawn) -> np.typing.NDArray[np.int64]:
    """All raw values that are to be tried, channel by channel, then those of any kind."""
    samples = drawn.samples * max(drawn.rows, 1)
    turns = -(-max(map(len, drawn.raws)) // samples)
    columns = [np.resize(np.array(each, np.int64), turns * samples) for each in drawn.raws]
    known = np.stack(columns, axis=1).reshape(turns, samples, drawn.channels)
    wild = np.array(drawn.wild, np.int64).reshape(1, samples, drawn.channels)
    return np.concatenate([known, wild])


def text_of(drawn: Drawn) -> str:
    """The description's file."""
    lines = [
        "[input]",
        *(f"{key} = {_toml(key, value)}" for key, value in drawn.input_table.items()),
    ]
    heads = drawn.heads
    if heads.words:
        lines += ["[output]", f"head = {_toml('head', list(heads.words))}"]
        table = {
            "k": heads.k or None,
            "threshold": list(heads.thresholds) or None,
            "fraction_bits": heads.fraction_bits,
            "labels": list(heads.labels) or None,
            **heads.event,
        }
        lines += [
            f"{key} = {_toml(key, value)}" for key, value in table.items() if value is not None
        ]
    return "\n".join([*lines, ""])


def _toml(key: str, value: object) -> str:
    """Numbers that are texts here stand as they are."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list):
        if key == "threshold" and len(value) == 1:
            return str(value[0])
        return f"[{', '.join(_toml(key, each) for each in value)}]"
    is_text = key in (
        "raw",
        "storage",
        "aligned",
        "endianness",
        "layout",
        "reference",
        "head",
        "labels",
        "background",
    )
    escaped = str(value).replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"' if is_text else str(value)


def source_of(cases: Sequence[Case]) -> str:
    """The C of the program."""
    lines = [HEAD, FUNCTIONS, *(f'#include "{case.name}.h"' for case in cases)]
    raw_bytes = [case.compiled.interface.raw_inputs[0].size_bytes for case in cases]
    lines.append(TAIL.format(most=max(raw_bytes)))
    for case in cases:
        lines += _function(case)
    return "\n".join([*lines, main_of(f"run_{case.name}" for case in cases)])


def _function(case: Case) -> list[str]:
    interface, name = case.compiled.interface, case.name
    is_mine = interface.arena is ArenaMode.CALLER
    memory = (
        [f"static int32_t {name}_memory[({name.upper()}_ARENA_BYTES + 3) / 4];"] if is_mine else []
    )
    given = f"{name}_memory" if is_mine else ""
    before = f"{given}, " if is_mine else ""
    raw, shown, made = interface.raw_inputs[0], interface.inputs[0], interface.outputs[0]
    body = [f"read({raw.size_bytes}u);", f"{raw.function}({before}bytes + 1);"]
    if interface.pushed_rows:
        begin = [f"{name}_begin({given});"] if interface.has_begin else []
        body = [*begin, f"for (int row = 0; row < {interface.pushed_rows}; row++) {{", *body, "}"]
    else:
        body += [
            f"tinyml_port_write({shown.accessor}({given}), {shown.size_bytes}u);",
            f"{name}_invoke({given});",
        ]
    body.append(f"tinyml_port_write({made.accessor}({given}), {made.size_bytes}u);")
    body += [line.replace("@, ", before).replace("@", given) for line in _decisions(case)]
    before_all = [f"{name}_reset({given});"] if interface.has_reset else []
    loop = f"for (int turn = 0; turn < {len(case.calls)}; turn++) {{"
    return [*memory, f"static void run_{name}(void)", "{", *before_all, loop, *body, "}", "}", ""]


def _decisions(case: Case) -> list[str]:
    """A statement for each number that `judged` reads, in its order; @ is the arena."""
    heads, name = case.drawn.heads, case.name
    if heads.has("mean-squared-difference"):
        lines = [f"put({name}_score(@));"]
        return [*lines, f"put({name}_reaches_threshold(@));"] if heads.thresholds else lines
    count = case.compiled.interface.outputs[0].count
    values = [""] if count == 1 else [f", {place}" for place in range(count)]
    lines = []
    if heads.has("argmax"):
        lines.append(f"put({name}_decide(@));")
    if heads.has("top-k"):
        lines.append(f"int16_t classes[{name.upper()}_TOP_K];")
        lines.append(f"{name}_top_k(@, classes);")
        lines += [f"put(classes[{place}]);" for place in range(heads.k)]
    if heads.has("threshold"):
        lines += [_call(f"{name}_reaches_threshold", each) for each in values]
    if heads.has("event"):
        lines.append(f"put({name}_event(@));")
    if heads.has("fixed-point"):
        lines += [_call(f"{name}_fixed_point", each) for each in values]
    if heads.labels:
        for place in range(len(heads.labels)):
            copy = f"{name}_copy_label({place}, label);"
            write = "tinyml_port_write(label, sizeof label);"
            lines.append(f"{{ char label[{name.upper()}_LABEL_BYTES] = {{ 0 }}; {copy} {write} }}")
    return lines


def _call(function: str, argument: str) -> str:
    return f"put({function}(@{argument}));"


def write_program(cases: Sequence[Case], folder: Path) -> list[Path]:
    """Its C files: that of the models, and what calls them."""
    unit = write_unit([case.name for case in cases], folder / "models.c")
    main = folder / "raw_main.c"
    main.write_text(source_of(cases), encoding="utf-8")
    return [unit, main]


def run_on_host(
    command: Sequence[str], sources: Sequence[Path], data: bytes, folder: Path
) -> bytes:
    """What a program built by a compiler with its flags writes."""
    every = map(str, (*sources, *support_sources(load_target(HOST), kind="test")))
    program = folder / "program"
    include = [f"-I{folder}", f"-I{FIRMWARE_FOLDER}"]
    warnings = [*WARNING_FLAGS, "-Wno-unknown-attributes"]  # noclone is a word of GCC alone
    run_tool(
        [*command, "-std=gnu11", *warnings, *include, *every, "-o", str(program)],
        where="raw",
    )
    done = run_program([str(program)], where=" ".join(command), timeout_s=300, input_bytes=data)
    assert done.returncode == 0, done.stderr.decode(errors="replace")[-2000:]
    return done.stdout


def run_on_part(target: Target, sources: Sequence[Path], data: bytes, folder: Path) -> bytes:
    """What it writes on a part's emulator."""
    unit, main = sources
    models = [object_of(target, unit, folder)]
    image = linked(target, [main], folder, name="raw", models=models, invoke_symbol=INVOKE_SYMBOL)
    return run_image(target, image, data).output
