"""Tensors with a range in the file, and tensors that need samples."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from tinyml_rules.errors import Note, Problem, UsageError
from tinyml_rules.ir.graph import Quantization, Tensor
from tinyml_rules.ops._shared.quantization import Relation
from tinyml_rules.quantizer.calibrate import ends_of
from tinyml_rules.quantizer.given_ranges import ends_of_int8
from tinyml_rules.quantizer.plan import Plan
from tinyml_rules.quantizer.scheme import asymmetric


def with_known(plan: Plan, ranges: Mapping[int, Quantization]) -> Plan:
    """The plan with the quantizations that the file says of tensors, and of what is only moved or
    chosen from those."""
    given = {
        index: ranges[source]
        for index in plan.group
        if (source := plan.stands_for.get(index, index)) in ranges
    }
    for node in plan.graph.nodes:
        rule = plan.rule(node)
        if rule is not None and rule.relation is Relation.SAME:
            sources = [
                index for index in node.inputs if index in plan.group and _is_computed(plan, index)
            ]
            found = [given[index] for index in sources if index in given]
            if found and len(found) == len(sources):
                results = [index for index in node.outputs if index in plan.group]
                given = {**dict.fromkeys(results, _widest(found)), **given}
    known = {group: _of_group(plan, group, given) for group in {*plan.group.values()}}
    return replace(
        plan, given=given, known={group: each for group, each in known.items() if each is not None}
    )


def _widest(found: Sequence[Quantization]) -> Quantization:
    if len(set(found)) == 1:
        return found[0]
    lows, highs = zip(*map(ends_of_int8, found), strict=True)
    return asymmetric(min(lows), max(highs))


def _of_group(plan: Plan, group: int, given: Mapping[int, Quantization]) -> Quantization | None:
    """The one quantization of a group of int8, which holds its constants too."""
    members = plan.members(group)
    computed = [index for index in members if _is_computed(plan, index)]
    found = {given.get(index) for index in computed}
    if len(found) != 1 or group in plan.fixed or group in plan.int16:
        return None
    (quantization,) = found
    if quantization is None or (group in plan.symmetric and quantization.zero_points != (0,)):
        return None
    least, most = ends_of_int8(quantization)
    constants = (plan.graph.tensors[index].data for index in members if index not in computed)
    ends = [ends_of(data) for data in constants if data is not None]
    return quantization if all(least <= low and high <= most for low, high in ends) else None


def _is_computed(plan: Plan, index: int | None) -> bool:
    return index is not None and not plan.graph.tensors[index].is_constant


def check_all_known(plan: Plan) -> None:
    """Raise UsageError, where a tensor has no range without samples."""
    missing = _without_range(plan)
    if missing:
        which = f"tensor {missing[0]} has"
        if len(missing) > 1:
            which = f"{len(missing)} tensors, the first of them {missing[0]}, have"
        what = f"{which} no range in the file, expected samples of the inputs"
        hint = (
            "give calibration data: typical inputs, a .npy or .npz with a leading axis of samples"
        )
        raise UsageError.at(plan.graph.name, what, hint=hint)


def notes_of(plan: Plan) -> tuple[Problem, ...]:
    """Notes about ranges that do not come from samples."""
    found = [index for index in plan.given if plan.group[index] not in plan.fixed]
    if not found:
        return ()
    first = plan.graph.tensors[min(found)]
    which = f"tensor {first} has" if len(found) == 1 else f"{len(found)} tensors have"
    return (Note(plan.graph.name, f"{which} the range that the file says"),)


def _without_range(plan: Plan) -> list[Tensor]:
    read = {index for node in plan.graph.nodes for index in (*node.inputs, *node.outputs)}
    return [
        plan.graph.tensors[index]
        for index, group in plan.group.items()
        if group not in plan.fixed
        and index not in plan.given
        and index in read
        and _is_computed(plan, index)
    ]
