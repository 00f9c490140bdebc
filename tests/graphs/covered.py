"""Random graphs with rows of options from an array that has every two of them, and a program that
runs many of those."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from pathlib import Path
from zlib import crc32

import numpy as np

from tests.pairs.covering import Row, covering_array
from tests.pairs.programs import OfRow, image_of, program_of, run_of, write_sources
from tests.pairs.requests import FACTORS, is_allowed, request_of
from tests.support.combined import SANITIZED
from tests.support.images import object_of
from tests.support.operator_cases import (
    agrees,
    expected_bytes,
    file_of,
    graph_of,
    oracle_bytes,
    result_bytes,
    sample_bytes,
)
from tests.support.random_graphs import random_graph
from tinyml_rules.compiler import Compiled, compile_model
from tinyml_rules.errors import DoesNotFitError, ToolError, UnsupportedError
from tinyml_rules.firmware.support import FIRMWARE_FOLDER
from tinyml_rules.ir.rounding_reference import RoundingReference
from tinyml_rules.ops._shared.cases.case import Case, random_case
from tinyml_rules.runners import run_image
from tinyml_rules.system.programs import find_program
from tinyml_rules.target.target import Target
from tinyml_rules.target.toolchain import CODE_FLAGS, STANDARD_FLAG, WARNING_FLAGS

GRAPH_FACTORS = {**FACTORS, "sensor": ("none",), "kernel": ("first", "any")}
"""A sensor is described for one input of one model; `any`: of each node one of the kernels that can
do its work, as if a tuner had found it to be faster."""
ROWS = covering_array(GRAPH_FACTORS, is_allowed)
ROWS_OF_A_GRAPH = 4
PER_PROGRAM = 40
OF_GCC = 5
"""Under the sanitizers, of so many programs the first has objects of GCC, which takes three times
as long for them as Clang."""
OF_A_UNIT = 10
"""How many variants Clang sees in one file, which saves its start; GCC takes longer for that."""
CLANG = (
    *("clang", STANDARD_FLAG, *CODE_FLAGS),
    *("-mllvm", "-asan-instrumentation-with-call-threshold=0"),  # less code of each check
)
GRAPH = "graph"
"""The name of each in the passes, whose results all rows share."""
SAMPLES = 3
"""A random one, the lowest, the highest values."""
FEWEST_NODES, MOST_NODES = 2, 14
OF_INT16 = 3
"""Of four graphs."""
REFUSABLE = {"push_rows": "no", "partition": "no", "rounding": "tflm"}
"""Options that not every graph can have, with what it has instead."""
TAIL = """\
void sink(char letter);
void get(void *to, size_t size);

void sink(char letter)
{
    static volatile char last;
    last = letter;
    (void)last;
}

void get(void *to, size_t size)
{
    if (!tinyml_port_read(to, size)) {
        tinyml_port_exit(TINYML_EXIT_INPUT_TRUNCATED);
    }
}
"""


@dataclass(frozen=True, eq=False)
class Covered(OfRow):
    """A graph compiled with a row."""

    case: Case

    @property
    def reference(self) -> RoundingReference:
        """Whose bytes are right."""
        return RoundingReference(self.row["rounding"])

    @cached_property
    def data(self) -> bytes:
        """What the program reads."""
        return sample_bytes(self.case, graph_of(self.case, name=GRAPH))

    @property
    def samples(self) -> int:
        """How many inferences there are."""
        return len(self.case.samples[0])

    def parts(self, output: bytes) -> Iterator[tuple[bytes, bytes]]:
        """(what is no output, outputs) of each sample."""
        size = sum(port.size_bytes for port in self.compiled.interface.outputs)
        told = 4 if self.has("hooks") else 0
        for place in range(4 * self.has("selftest"), len(output), size + told):
            yield output[place + size : place + size + told], output[place : place + size]

    @property
    def output_bytes(self) -> int:
        """What the program writes."""
        size = sum(port.size_bytes for port in self.compiled.interface.outputs)
        return 4 * self.has("selftest") + self.samples * (size + 4 * self.has("hooks"))

    def is_right(self, output: bytes) -> bool:
        """Whether it says so of itself, and the outputs are TFLM's, or numpy's with the rounding of
        LiteRT."""
        if self.has("selftest") and output[:4] != bytes(4):
            return False
        told, found = zip(*self.parts(output), strict=True)
        if any(each not in (b"", b"\x01\0\0\0") for each in told):
            return False
        graph = graph_of(self.case, name=GRAPH, reference=self.reference)
        if self.reference is RoundingReference.TFLM:
            expected = expected_bytes(self.case)
        else:
            expected = result_bytes(self.case, graph, oracle_bytes(self.case, graph))
        return agrees(self.case, result_bytes(self.case, graph, b"".join(found)), expected)


def covered(seed: int, number: int, target: Target, folder: Path) -> Covered | None:
    """The variant of that number; None for one that the target has no room for, and where the graph
    cannot be compiled with what `REFUSABLE` has."""
    case = _case(seed, number // ROWS_OF_A_GRAPH)
    row, name = ROWS[number % len(ROWS)], f"v{number}"
    if case.model.tensors[case.model.outputs[0]].dtype == "int16":
        row = row | {"rounding": "tflm"}  # LiteRT's is for 8 bits alone
    try:
        return _compiled(name, row, case, target, folder)
    except UnsupportedError:
        assert any(row[option] != value for option, value in REFUSABLE.items()), row
    return _compiled(name, row | REFUSABLE, case, target, folder)


@lru_cache(maxsize=PER_PROGRAM)
def _case(seed: int, place: int) -> Case:
    """The graph of that place, with few samples; what is known of it is kept for all its rows."""
    nodes = FEWEST_NODES + place % (MOST_NODES - FEWEST_NODES + 1)
    dtype = "int16" if place % 4 == OF_INT16 else "int8"
    case = random_case(random_graph((seed, place), node_count=nodes, dtype=dtype), seed=place)
    return replace(case, samples=tuple(values[-SAMPLES:] for values in case.samples))


def _compiled(name: str, row: Row, case: Case, target: Target, folder: Path) -> Covered | None:
    request = replace(request_of(row, name, target, folder), model=file_of(case))
    try:
        compiled = compile_model(request)
        if row["kernel"] == "any":
            compiled = compile_model(replace(request, kernels=_any_kernels(compiled, name)))
    except DoesNotFitError:
        return None
    return Covered(name, row, compiled, case)


def _any_kernels(compiled: Compiled, name: str) -> tuple[tuple[str, str], ...]:
    """One for each node that has a choice."""
    generator = np.random.default_rng(crc32(name.encode()))
    choices = {
        step.name: step.candidates
        for step in compiled.described.steps.program.steps
        if len(step.candidates) > 1
    }
    return tuple((node, str(generator.choice(names))) for node, names in choices.items())


def is_of_clang(target: Target, first: int) -> bool:
    """Whether Clang compiles the program whose first variant has that number."""
    is_its_turn = target.name == SANITIZED and first // PER_PROGRAM % OF_GCC != 0
    return is_its_turn and find_program("clang") is not None


def run_all(
    target: Target, variants: Sequence[Covered], folder: Path, *, by_clang: bool = False
) -> dict[str, bytes]:
    """{name: what the program writes of it}; those that are too large for the part alone are left
    out."""
    folder.mkdir()
    sources, weights = write_sources(variants, folder)
    if by_clang:
        objects = list(objects_of_clang(target, sources, folder))
    else:
        objects = [object_of(target, each, folder) for each in sources]
    return _run(target, variants, objects, weights)


def objects_of_clang(target: Target, sources: Sequence[Path], folder: Path) -> Iterator[Path]:
    """What GCC links with its libraries of the sanitizers."""
    flags = (*target.toolchain.compile_flags, *WARNING_FLAGS, f"-I{folder}", f"-I{FIRMWARE_FOLDER}")
    for first in range(0, len(sources), OF_A_UNIT):
        some = sources[first : first + OF_A_UNIT]
        unit = folder / f"units_from_{some[0].name}"
        lines = (f'#include "{each.name}"\n#undef tinyml_shared_arena\n' for each in some)
        unit.write_text("".join(lines), encoding="utf-8")
        yield object_of(target, unit, folder, compiler=(*CLANG, *flags))


def _run(
    target: Target, variants: Sequence[Covered], objects: Sequence[Path], weights: Path
) -> dict[str, bytes]:
    """In one image, or in two of the halves."""
    name = f"covered_{variants[0].name}_{len(variants)}"
    try:
        image = image_of(target, variants, source_of(variants), objects, weights, name=name)
    except (DoesNotFitError, ToolError) as error:
        if isinstance(error, ToolError) and "exceed" not in str(error):
            raise
        if len(variants) == 1:
            return {}
        half = len(variants) // 2
        first = _run(target, variants[:half], objects[:half], weights)
        return first | _run(target, variants[half:], objects[half:], weights)
    output = run_image(target, image, b"".join(each.data for each in variants)).output
    found, place = {}, 0
    for each in variants:
        found[each.name] = output[place : place + each.output_bytes]
        place += each.output_bytes
    assert place == len(output)
    return found


def source_of(variants: Sequence[Covered]) -> str:
    """The C of the program."""
    return program_of(variants, TAIL, map(_function, variants))


def _function(variant: Covered) -> list[str]:
    outputs = variant.compiled.interface.outputs
    writes = [f"tinyml_port_write({each.accessor}(@), {each.size_bytes}u);" for each in outputs]
    dump = [f"{variant.name}_dump_outputs(@, sink);"]
    return run_of(variant, variant.samples, [*_given(variant), *writes], dump)


def _given(variant: Covered) -> Iterator[str]:
    """From what is read to an output."""
    name, interface = variant.name, variant.compiled.interface
    if interface.pushed_rows:
        if interface.has_begin:
            yield f"{name}_begin(@);"
        yield f"for (int row = 0; row < {interface.pushed_rows}; row++) {{"
        yield f"static {interface.inputs[0].c_type} values[{interface.row_count}];"
        yield "get(values, sizeof values);"
        if variant.has("dump"):
            yield f"{name}_dump_row(row, values, sink);"
        yield f"{interface.entry}(@, values); }}"
        return
    for port in interface.inputs:
        yield f"get({port.accessor}(@), {port.size_bytes}u);"
    if variant.has("dump"):
        yield f"{name}_dump_inputs(@, sink);"
    if interface.has_slices:
        yield f"{name}_reset(@);"
        yield f"while ({name}_invoke_slice(@, 3)) {{ }}"
    elif variant.has("partition"):
        yield f"{name}_quantized_main(@);"
    else:
        yield f"{interface.entry}(@);"
