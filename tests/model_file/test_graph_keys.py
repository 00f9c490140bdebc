"""Which mutated models are tried no further: those that the compiler cannot tell from another."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from tests.model_file.graph_keys import key_of, without_numbers
from tests.support.operator_cases import cases_of, file_of
from tests.support.stages import read
from tinyml_rules.ir.dtype import DType
from tinyml_rules.ir.graph import Graph, Quantization


def graph() -> Graph:
    """A convolution."""
    return read(file_of(cases_of("conv_2d")["dilations_2"]))


def of_tensor(place: int, **changes: object) -> Callable[[Graph], Graph]:
    """The graph with another tensor in a place."""

    def changed(before: Graph) -> Graph:
        tensors = list(before.tensors)
        tensors[place] = replace(tensors[place], **changes)  # type: ignore[arg-type]
        return replace(before, tensors=tuple(tensors))

    return changed


def of_node(**changes: object) -> Callable[[Graph], Graph]:
    """The graph with another first node."""
    return lambda before: replace(
        before,
        nodes=(replace(before.nodes[0], **changes), *before.nodes[1:]),  # type: ignore[arg-type]
    )


@pytest.mark.parametrize(
    "change",
    [
        of_tensor(0, shape=(1, 1)),
        of_tensor(0, dtype=DType.INT16),
        of_tensor(0, quantization=Quantization((0.5,), (1,))),
        of_tensor(0, quantization=None),
        of_tensor(0, is_variable=True),
        of_tensor(0, name="a\nb"),
        of_tensor(0, name="*/"),
        of_tensor(0, name=graph().tensors[1].name),
        of_tensor(1, data=np.zeros(3, np.int8)),
        of_tensor(1, unread="sparse"),
        of_node(op="add"),
        of_node(version=9),
        of_node(inputs=(0,)),
        of_node(outputs=(0,)),
        of_node(attrs=None),
        lambda before: replace(before, inputs=(1,)),
        lambda before: replace(before, outputs=(0,)),
        lambda before: replace(before, others=(before,)),
    ],
)
def test_another_graph(change: Callable[[Graph], Graph]) -> None:
    """Each field that the compiler reads makes one."""
    assert key_of(change(graph())) != key_of(graph())


def test_same_graph() -> None:
    """Of another file, or with other letters in a name."""
    assert key_of(replace(graph(), sha256="0")) == key_of(graph())
    assert key_of(of_tensor(0, name="one")(graph())) == key_of(of_tensor(0, name="two_3")(graph()))


def test_form_of_c() -> None:
    """Numbers and comments may differ, names and calls may not."""
    assert without_numbers("f(&a[3], -0x1p); /* one */ {1, 2}") == without_numbers(
        "f(&a[17], -0x1p);  {1, -2, 5}"
    )
    assert without_numbers("f(&a[3])") != without_numbers("g(&a[3])")
