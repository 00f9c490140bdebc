"""Which graphs the compiler cannot tell from each other, but for the letters of their names."""

from __future__ import annotations

import re

from tinyml_rules.ir.graph import Array, Graph, Tensor

_WORD = re.compile(r"[A-Za-z0-9_]+")
_NUMBER = re.compile(r"-?\b(?:0x)?[0-9][0-9A-Fa-f.]*(?:e[+-]?[0-9]+)?")
_COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)


def key_of(graph: Graph) -> int:
    """The same for graphs that are equal, further ones included, whatever file they are from; of
    words in names that there is one, and which names are the same."""
    names = [each.name for each in graph.tensors]
    places = {name: place for place, name in reversed(list(enumerate(names)))}
    return hash(
        (
            tuple(_of_tensor(each) for each in graph.tensors),
            tuple(places[name] for name in names),
            tuple((n.op, n.version, n.inputs, n.outputs, repr(n.attrs)) for n in graph.nodes),
            graph.inputs,
            graph.outputs,
            _WORD.sub("a", graph.title),
            tuple(map(key_of, graph.others)),
        )
    )


def _of_tensor(tensor: Tensor) -> tuple[object, ...]:
    return (
        _WORD.sub("a", tensor.name),
        tensor.shape,
        tensor.dtype,
        tensor.quantization,
        _of_values(tensor.data),
        _of_values(tensor.initial),
        tensor.is_variable,
        tensor.unread,
    )


def _of_values(values: Array | None) -> int | None:
    return None if values is None else hash(values.tobytes())


def without_numbers(text: str) -> str:
    """C in which only the numbers, how many of them there are in a row, and comments may differ
    from that of another model."""
    text = _NUMBER.sub("0", _COMMENT.sub("", text))
    return re.sub(r"0(?:,\s*0)+", "0", text)
