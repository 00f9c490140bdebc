"""Nodes that break one rule of their operands, made of the rules that the operators declare and of
the operators' own cases, with the text that says so."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from math import prod
from typing import Any

import numpy as np

from tests.support.right_nodes import declarations_of, right_nodes, view_of
from tests.support.stages import read
from tinyml_rules.ir.graph import Graph, NodeView, Tensor
from tinyml_rules.model_file.writer import ModelSpec, TensorSpec
from tinyml_rules.ops import builtin_operators
from tinyml_rules.ops._shared.cases.case import with_tensor
from tinyml_rules.ops._shared.operands import Operand, Operands

_NOBODYS = "uint16"
"""A type that no operator takes."""
_OTHERS = ("int16", "int32", "bool")
_SCALE = 0.7


@dataclass(frozen=True, eq=False)
class Broken:
    """A node that breaks one rule; `text` is how the error begins."""

    rule: str
    model: ModelSpec
    right: Graph
    """That of the right node."""
    text: str
    is_alone: bool
    """No other operand's rule follows from this operand."""

    @property
    def graph(self) -> Graph:
        """The model's, judged as the right node's."""
        return replace(
            read(self.model),
            is_of_uint8=self.right.is_of_uint8,
            widens_weights=self.right.widens_weights,
        )


@dataclass(frozen=True, eq=False)
class _Place:
    """An operand in a model of a right node."""

    model: ModelSpec
    view: NodeView
    operands: Operands
    name: str
    tensor: Tensor

    @property
    def rule(self) -> Operand:
        return self.operands[self.name]

    @property
    def is_alone(self) -> bool:
        return not any(
            self.name in (rule.type_of, rule.scale_of, rule.shape)
            for rule in self.operands.values()
        )

    def broken(self, kind: str, text: str, **changes: Any) -> Broken:
        """With changes to the tensor."""
        return Broken(
            f"{self.name}: {kind}",
            with_tensor(self.model, self.tensor.index, **changes),
            self.view.graph,
            f"{self.name} tensor {self.tensor} {text}",
            self.is_alone,
        )


def broken_nodes(operator: str) -> Iterator[Broken]:
    """For every operand and every rule of the declarations a node that breaks it."""
    for operands in declarations_of(operator):
        seen: set[str] = set()
        for model, view in right_nodes(operator, operands):
            for name in operands:
                if view.each(name):
                    place = _Place(model, view, operands, name, view.each(name)[-1])
                    for each in _of_place(place):
                        if each.rule not in seen and _is_judged_by(each.graph, operands):
                            seen.add(each.rule)
                            yield each


def _is_judged_by(graph: Graph, operands: Operands) -> bool:
    view = view_of(graph)
    return builtin_operators()[view.node.op].meaning(view).operands == operands


def _of_place(place: _Place) -> Iterator[Broken]:
    yield from _types(place)
    yield from _values(place)
    yield from _dimensions(place)
    if place.rule.axis is None:
        yield from _scales(place)
    else:
        yield from _weight_scales(place)


def _types(place: _Place) -> Iterator[Broken]:
    rule = place.rule
    if rule.types:
        expected = " or ".join(rule.types)
        yield _typed(place, "type", f"is {_NOBODYS}, expected {expected}", _NOBODYS)
    if rule.type_of:
        dtype = place.view.each(rule.type_of)[0].dtype
        for other in _OTHERS:
            if other != dtype and other in (rule.types or _OTHERS):
                text = f"is {other}, expected {dtype}"
                yield _typed(place, f"type of {rule.type_of}", text, other)


def _typed(place: _Place, kind: str, text: str, dtype: str) -> Broken:
    """Of another type, as plain numbers."""
    data = _spec(place).data
    with np.errstate(invalid="ignore"):
        values = data.astype(dtype) if isinstance(data, np.ndarray) else data
    return place.broken(
        kind,
        text,
        dtype=dtype,
        data=values,
        scales=(),
        zero_points=(),
    )


def _values(place: _Place) -> Iterator[Broken]:
    rule, tensor = place.rule, place.tensor
    is_output = tensor.index in place.view.node.outputs
    if rule.is_constant and tensor.dtype not in rule.computed:
        yield place.broken("constant", "is computed at run time, expected a constant", data=None)
    elif not (rule.may_be_variable or rule.is_state or is_output):
        yield place.broken(
            "no variable", "is a variable, which is not supported", data=None, is_variable=True
        )


def _dimensions(place: _Place) -> Iterator[Broken]:
    rule, shape = place.rule, place.tensor.shape
    larger = (*shape[:-1], shape[-1] + 1) if shape else (2,)
    longer = (prod(shape) + 1,)
    if rule.ranks is not None:
        others = [(1, *shape), (prod(shape),), ()]
        wrong = next(each for each in others if len(each) not in rule.ranks)
        yield _resized(place, "rank", f"has {len(wrong)} dimensions, expected ", wrong)
    if rule.count is not None:
        text = f"has {longer[0]} values, expected {prod(shape)}"
        yield _resized(place, "count", text, longer)
    if rule.shape is not None:
        text = f"has shape {list(larger)}, expected {list(shape)}"
        yield _resized(place, "shape", text, larger)


def _scales(place: _Place) -> Iterator[Broken]:
    rule, tensor = place.rule, place.tensor
    if tensor.dtype in rule.scaled:
        yield place.broken("scale", "has no scale and zero point", scales=(), zero_points=())
        wide = [axis for axis, size in enumerate(tensor.shape) if size > 1]
        for axis in wide[:1]:
            yield place.broken(
                "one scale",
                "is quantized per axis, expected per tensor",
                **_per_axis(tensor, axis),
            )
    if tensor.quantization is None:
        return
    point = tensor.quantization.zero_points[0]
    if tensor.dtype in rule.centred:
        yield place.broken("zero point", "has zero point 1, expected 0", zero_points=(1,))
    if rule.fixed is not None:
        text = f"has scale {_SCALE:g} and zero point {point}, expected "
        yield place.broken("fixed", text, scales=(_SCALE,))
    if rule.scale_of and not (tensor.quantization.is_per_axis or tensor.dtype in rule.centred):
        other = point - 1 if point > 0 else point + 1
        scale = tensor.scale
        text = (
            f"has scale {scale:.6g} and zero point {other}, expected those of the {rule.scale_of}"
        )
        yield place.broken(f"scale of {rule.scale_of}", text, zero_points=(other,))


def _weight_scales(place: _Place) -> Iterator[Broken]:
    rule, tensor = place.rule, place.tensor
    yield place.broken("scale", "has no scale", scales=(), zero_points=())
    if not rule.may_have_zero_point:
        text = "has a zero point that is not 0"
        yield place.broken("zero point", text, scales=(1.0,), zero_points=(1,))
    others = [axis for axis, size in enumerate(tensor.shape) if size > 1 and axis != rule.axis]
    for axis in others[:1]:
        text = f"has scales along axis {axis}, expected {rule.axis}"
        yield place.broken("axis", text, **_per_axis(tensor, axis))


def _per_axis(tensor: Tensor, axis: int) -> Mapping[str, Any]:
    size = tensor.shape[axis]
    return {"scales": (1.0,) * size, "zero_points": (0,) * size, "axis": axis}


def _resized(place: _Place, kind: str, text: str, shape: tuple[int, ...]) -> Broken:
    """Of another shape, with as many values; one scale fits any."""
    spec = _spec(place)
    data = np.resize(spec.data, shape) if isinstance(spec.data, np.ndarray) else spec.data
    return place.broken(
        kind,
        text,
        shape=shape,
        data=data,
        scales=spec.scales[:1],
        zero_points=spec.zero_points[:1],
    )


def _spec(place: _Place) -> TensorSpec:
    return place.model.tensors[place.tensor.index]
