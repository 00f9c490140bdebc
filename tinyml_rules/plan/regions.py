"""The stored tensors that the user places in further memory regions of the target."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tinyml_rules.errors import UsageError, did_you_mean
from tinyml_rules.ir.graph import Tensor
from tinyml_rules.ir.program import Program
from tinyml_rules.target.target import Target


def choose_regions(
    program: Program, places: Sequence[tuple[str, str]], target: Target
) -> dict[int, str]:
    """{stored tensor: region} for `places`; a user calls a tensor `#12`, `12` or by its name.

    Raises UsageError for an unknown tensor or region, and for a tensor in two regions.
    """
    stored = _stored_tensors(program)
    chosen: dict[int, str] = {}
    for word, region in places:
        _check_region(program, region, target)
        tensor = _find(program, word, stored)
        if chosen.setdefault(stored[tensor.index], region) != region:
            both = f"'{chosen[stored[tensor.index]]}' and '{region}'"
            what = f"the bytes of tensor {tensor} are placed in both {both}"
            raise UsageError.at(program.graph.name, what)
    return chosen


def _stored_tensors(program: Program) -> dict[int, int]:
    """Every tensor of the file that is in RAM, and the stored tensor whose bytes it shares."""
    graph = program.graph
    stored = {tensor: program.buffer_of(tensor) for tensor in sorted(program.layouts)}
    ends = zip(
        (*graph.file_inputs, *graph.file_outputs), (*graph.inputs, *graph.outputs), strict=True
    )
    for real, quantized in ends:
        stored[real] = program.buffer_of(quantized)
    return stored


def _check_region(program: Program, region: str, target: Target) -> None:
    known = list(target.memory.regions) if target.memory else []
    if region in known:
        return
    what = f"unknown region '{region}', target '{target.name}' has {', '.join(known) or 'none'}"
    hint = did_you_mean(region, known) or "name it under [memory] in target.toml"
    raise UsageError.at(program.graph.name, what, hint=hint)


def _find(program: Program, word: str, stored: Mapping[int, int]) -> Tensor:
    """The tensor that the user means; an error says why it cannot be placed."""
    graph = program.graph
    number = word.removeprefix("#")
    if number.isdecimal() and int(number) < len(graph.tensors):
        found = [graph.tensors[int(number)]]
    else:
        found = [tensor for tensor in graph.tensors if tensor.name == word]
    if len(found) == 1 and found[0].index in stored:
        return found[0]
    if not found:
        names = [graph.tensors[index].name for index in stored]
        hint = did_you_mean(word, names) or "`tinyml_rules inspect --all` lists the tensors"
        raise UsageError.at(graph.name, f"unknown tensor '{word}'", hint=hint)
    if len(found) > 1:
        numbers = " or ".join(f"#{tensor.index}" for tensor in found)
        what = f"{len(found)} tensors are called '{word}'"
        raise UsageError.at(graph.name, what, hint=f"use a number: {numbers}")
    why = "is a constant" if found[0].is_constant else "is not used"
    raise UsageError.at(graph.name, f"tensor {found[0]} {why}, so it takes no RAM")
