"""The cut of a program into tasks is the best of all, whatever the program's length."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from tests.conftest import ZooModel
from tests.plan.chains import random_chain
from tests.plan.scratch import with_scratch
from tests.plan.separable import program_of as copying_program_of
from tests.plan.separable import random_separable
from tests.plan.test_bars import planned
from tests.plan.test_branches import residual
from tests.support.host import program_of
from tests.support.random_graphs import random_graph
from tinyml_rules.errors import UnsupportedError
from tinyml_rules.ir.buffers import Layout
from tinyml_rules.ir.program import Form, Program, Step
from tinyml_rules.model_file.writer import build_model
from tinyml_rules.plan.inside import guests_of, put_inside
from tinyml_rules.plan.lifetimes import step_lifetimes
from tinyml_rules.plan.overlap import Overlap, overlap_of, overlaps_of_stream
from tinyml_rules.plan.schedule import Mode, schedule
from tinyml_rules.plan.streams import stream
from tinyml_rules.plan.tasks import Task

Way = tuple[tuple[int, int], list[Task]]


def peak_of(program: Program, task: Task, begin: int, end: int, *, is_pushed: bool) -> int:
    """Bytes alive while a task runs, counted tensor by tensor."""
    alive = {each.tensor: each for each in step_lifetimes(program)}
    # a whole tensor has the bytes that align the next one
    inside = {
        ring.tensor: alive[ring.tensor].size_bytes if ring.is_whole else ring.size_bytes
        for ring in task.rings
    }
    inside |= {ring.tensor: 0 for ring in task.rings if ring.inside is not None}
    last = task.steps[-1]
    apart = {each for step in program.steps[begin:end] for each in step.workspace}
    for buffer in apart.difference(task.workspace):  # its step uses that of another one, or none
        del alive[buffer]
    total = sum(inside.values()) + (4 * last.sums if last.kernel.form is Form.ROWS else 0)
    total += sum(
        each.size_bytes
        for each in alive.values()
        if each.tensor not in inside and each.first < end and each.last >= begin
    )
    result = program.graph.tensors[last.output]
    result_bytes = alive[program.buffer_of(last.output)].size_bytes
    overlaps: list[tuple[int, Overlap]] = []
    if not task.is_streamed:
        tensors = program.graph.tensors
        for tensor in last.inputs:
            overlaps.append((program.buffer_of(tensor), overlap_of(last, tensors[tensor], result)))
    elif not is_pushed or task.sources[0].is_lent:
        pairs = overlaps_of_stream(task, program, is_pushed=is_pushed)
        overlaps = [(ring.tensor, each) for ring, each in pairs]
    saved = [
        overlap.saved_bytes(inside.get(tensor, alive[tensor].size_bytes), result_bytes)
        for tensor, overlap in overlaps
        if alive[tensor].last < end
    ]
    return total - max(saved, default=0)


def streams(program: Program, steps: Sequence[Step], *, is_pushed: bool) -> list[Task]:
    """The stream of these steps with all rows inside others that can be, then the same with a place
    of its own for the one that the last step reads."""
    task = stream(program, steps, is_pushed=is_pushed)
    if task is None:
        return []
    guests = guests_of(task, program)
    without = {host: guest for host, guest in guests.items() if host != len(steps) - 1}
    return [put_inside(task, guests), put_inside(task, without)]


def lending(task: Task) -> Task:
    """The stream with its ring of pushed rows lent to its result."""
    return replace(task, sources=(replace(task.sources[0], is_lent=True),))


def best_way(
    program: Program, mode: Mode, *, is_pushed: bool, ram_bytes: int, lends: bool
) -> list[Task]:
    """Of all cuts: every stream is made, and measured whole; `lends`: the ring of pushed rows."""
    count = len(program.steps)
    tasks: list[tuple[int, int, Task, int]] = []
    for begin in range(count):
        for end in range(begin + 1, count + 1):
            pushed = is_pushed and begin == 0
            steps = program.steps[begin:end]
            ways = [Task(steps)] if end - begin == 1 and not pushed else []
            if not ways and (mode is not Mode.LAYER or pushed):
                ways = streams(program, steps, is_pushed=pushed)
            if lends and pushed:
                ways = [lending(way) for way in ways]
            peaks = [peak_of(program, way, begin, end, is_pushed=pushed) for way in ways]
            if ways:
                best = peaks.index(min(peaks))
                tasks.append((begin, end, ways[best], peaks[best]))
    if mode is Mode.STREAM:
        return cheapest(count, tasks, counts_tasks=True)[1]
    limits = sorted({peak for *_, peak in tasks})
    cuts = (cheapest(count, [each for each in tasks if each[3] <= peak]) for peak in limits)
    lowest = next(cost[1] for cost, way in cuts if way)
    limit = max(lowest, ram_bytes)
    return cheapest(count, [each for each in tasks if each[3] <= limit])[1]


def cheapest(
    count: int, tasks: list[tuple[int, int, Task, int]], *, counts_tasks: bool = False
) -> Way:
    """Fewest streamed steps, or tasks, then the lowest peak; no tasks where there is no way."""
    best: dict[int, Way] = {0: ((0, 0), [])}
    for begin, end, task, peak in sorted(tasks, key=lambda each: (each[1], -each[0])):
        if begin in best:
            (steps, highest), before = best[begin]
            more = 1 if counts_tasks else len(task.steps) * task.is_streamed
            cost = (steps + more, max(highest, peak))
            if end not in best or cost < best[end][0]:
                best[end] = (cost, [*before, task])
    return best.get(count, ((0, 0), []))


def shape_of(tasks: list[Task]) -> list[object]:
    """Nodes and rings of each task."""
    return [([step.node.index for step in task.steps], task.rings) for task in tasks]


MODELS = [
    *(("chain", seed) for seed in range(40)),
    *(("separable", seed) for seed in range(20)),
    *(("graph", seed) for seed in range(40)),
    ("residual", 0),
]


def model_of(kind: str, seed: int) -> bytes:
    """Chains, graphs with branches, and blocks with short cuts."""
    if kind == "residual":
        return residual()
    if kind == "graph":
        return build_model(random_graph(seed, node_count=3 + seed % 12))
    if kind == "separable":
        return random_separable(seed)
    generator = np.random.default_rng(seed)
    return random_chain(lambda low, high: int(generator.integers(low, high + 1)))


@cache
def program_with_scratch(kind: str, seed: int) -> Program:
    """Each is made once for all modes."""
    sizes = (0, 12 * (seed % 5), 0, 60)
    return with_scratch(copying_program_of(model_of(kind, seed)), sizes, alignment=1)


@pytest.mark.parametrize("ram_bytes", [0, 300])
@pytest.mark.parametrize("is_pushed", [False, True])
@pytest.mark.parametrize("mode", list(Mode))
def test_it_is_the_best_of_all(mode: Mode, is_pushed: bool, ram_bytes: int) -> None:
    """The same tasks and rings as when every possible stream is made and measured."""
    streamed = lent = 0
    for kind, seed in MODELS:
        program = program_with_scratch(kind, seed)
        try:
            found = schedule(program, mode=mode, is_pushed=is_pushed, ram_bytes=ram_bytes)
        except UnsupportedError:
            assert is_pushed
            continue
        ring = found.pushed_ring
        lends = ring is not None and ring.is_lent
        best = best_way(found.program, mode, is_pushed=is_pushed, ram_bytes=ram_bytes, lends=lends)
        assert shape_of(list(found.tasks)) == shape_of(best), (kind, seed)
        streamed += sum(task.is_streamed for task in best)
        lent += lends
    assert streamed >= 2 or (mode is Mode.LAYER and not is_pushed)
    assert lent > 0 or not is_pushed


def with_layers_in_front(program: Program, place: int, count: int) -> Program:
    """The program with a step that keeps its shape repeated."""
    tensors, steps = list(program.graph.tensors), list(program.steps)
    repeated = steps[place]
    current = repeated.inputs[0]
    more = []
    for number in range(count):
        tensor = replace(tensors[repeated.output], index=len(tensors), name=f"more{number}")
        assert tensor.shape == tensors[current].shape
        tensors.append(tensor)
        node = replace(repeated.node, index=1000 + number)
        step = replace(repeated, node=node, inputs=(current,), outputs=(tensor.index,))
        more.append(step)
        current = tensor.index
    steps[place : place + 1] = [*more, replace(repeated, inputs=(current,))]
    graph = replace(program.graph, tensors=tuple(tensors))
    added = range(len(program.graph.tensors), len(tensors))
    buffer = program.buffers[repeated.output]
    return replace(
        program,
        graph=graph,
        steps=tuple(steps),
        layouts={**program.layouts, **{index: Layout(index) for index in added}},
        buffers={**program.buffers, **{index: replace(buffer, tensor=index) for index in added}},
    )


@pytest.mark.parametrize(("count", "bar_bytes"), [(40, 21_504), (400, 21_504)])
def test_deep_model(count: int, bar_bytes: int, zoo_model: ZooModel) -> None:
    """person_detect with its second layer many times in front: a limit on how many streams are
    tried used to be used up by the layers in front."""
    program = program_of(zoo_model("person_detect").read_bytes())
    assert planned(with_layers_in_front(program, 1, count)).arena_bytes <= bar_bytes
