"""The options of a compilation, a row each, from which every way in takes them.

A new option is a row here and a field of `Request`.  Little is imported, because SCons reads this
whenever it starts.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tinyml_rules.request.option import Kind, Option, parsed_by

MAX_PAGE_BYTES = 32767
"""What an `int` counts on a 16-bit machine."""

_ROWS = (
    Option(
        "schedule",
        Kind.WORD,
        "which layers run row by row together",
        default="auto",
        choices={
            "auto": "where that saves RAM",
            "layer": "none",
            "stream": "wherever it is possible",
        },
    ),
    Option(
        "ram",
        Kind.NUMBER,
        "a limit for the RAM of the model in bytes (its arena, and a page of external weights): "
        "the least streaming that keeps to it, not the least RAM",
        metavar="BYTES",
        member="ram_bytes",
    ),
    Option(
        "push_rows",
        Kind.SWITCH,
        "take the input a row at a time; it never lies in RAM as a whole",
        default=False,
    ),
    Option(
        "arena",
        Kind.WORD,
        "where the arena lives",
        default="static",
        choices={
            "static": "an array of the model's own",
            "caller": "memory that every function is given",
            "shared": "one array for all models of a program",
        },
    ),
    Option(
        "place",
        Kind.PAIRS,
        "tensors (number or name) that lie in a further memory region of the target",
        default=(),
        metavar="TENSOR=REGION",
        member="places",
    ),
    Option(
        "optimize",
        Kind.WORD,
        "what the code is to be",
        default="balanced",
        choices={
            "size": "small: plain kernels that layers share, and the C compiler told so; slower",
            "balanced": "fast, where that takes little flash",
            "speed": "as fast as possible; takes more flash, and more stack",
            "layers": "balanced, but no table of 256 bytes stands for layers between single 8-bit "
            "values, for whoever wants to measure them",
        },
    ),
    Option(
        "kernel",
        Kind.PAIRS,
        "nodes, by the number that a profile shows, with the kernel that each is to have; `tune` "
        "finds those that are fastest",
        default=(),
        metavar="NODE=KERNEL",
        member="kernels",
    ),
    Option(
        "weights",
        Kind.WORD,
        "where the weights lie",
        default="flash",
        choices={
            "flash": "beside the code",
            "packed": "there too, those of dense layers packed without loss where it pays",
            "external": "in NAME.weights.bin, which the firmware reads",
        },
    ),
    Option(
        "page",
        Kind.NUMBER,
        "bytes of external weights that are read at a time",
        default=64,
        least=1,
        most=MAX_PAGE_BYTES,
        metavar="BYTES",
        member="page_bytes",
    ),
    Option(
        "checked",
        Kind.SWITCH,
        "for tests: overwrite dead bytes as the model runs, to find mistakes of the memory plan; "
        "slow",
        default=False,
    ),
    Option(
        "hooks",
        Kind.SWITCH,
        "call macros of yours before and behind each node, NAME_NODE_BEGIN and NAME_NODE_END of "
        "NAME_hooks.h",
        default=False,
    ),
    Option(
        "operators",
        Kind.FOLDERS,
        "operators of your own: a folder of one, or a folder of such folders",
        default=(),
        metavar="DIR",
        decides_values=True,
    ),
)
OPTIONS: Mapping[str, Option] = {option.name: option for option in _ROWS}
"""By name, in the order in which pages list them."""


def parsed(values: Mapping[str, object]) -> dict[str, Any]:
    """What the given options mean, by name; None stands for one that is not given."""
    return parsed_by(OPTIONS, values)
