"""Joins models of one operator to one model."""

from __future__ import annotations

from dataclasses import replace

from tinyml_rules.model_file.writer import OPTIONAL, ModelSpec


def chained(first: ModelSpec, *others: ModelSpec) -> ModelSpec:
    """The models one after the other, each on the output of the one before it."""
    for other in others:
        (operator,), (source,), (result,) = other.operators, other.inputs, other.outputs
        assert first.tensors[first.outputs[0]].shape == other.tensors[source].shape
        base = len(first.tensors)
        place = {number: base + number for number in range(len(other.tensors))}
        place |= {source: first.outputs[0], OPTIONAL: OPTIONAL}
        moved = replace(
            operator,
            inputs=tuple(place[number] for number in operator.inputs),
            outputs=(place[result],),
        )
        first = replace(
            first,
            tensors=(*first.tensors, *other.tensors),
            operators=(*first.operators, moved),
            outputs=(place[result],),
        )
    return first
