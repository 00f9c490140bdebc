"""What the C of a model has beside the inference itself."""

from __future__ import annotations

from dataclasses import dataclass

from tinyml_rules.decide.decisions import Decision
from tinyml_rules.sensor.put_raw import PutRaw


@dataclass(frozen=True)
class Extras:
    """As a request asks for it.

    `is_marked`: marks of a profile.  `is_watched`: those of a runner that reads tensors, instead.
    `has_hooks`: the user's macros around each node.  `is_small`:
    it is to be compiled small.  `has_partition`: functions over real numbers, too.  `decisions`:
    functions that decide from outputs.  `raw_inputs`: those that take raw values of sensors.
    `version`: of a model whose constants can be exchanged; None where they cannot.
    `has_dump`: functions that print inputs and outputs.
    `outputs_crc`: what a self test expects of its inference; None without one.
    """

    is_marked: bool = False
    is_watched: bool = False
    has_hooks: bool = False
    is_small: bool = False
    has_partition: bool = False
    has_dump: bool = False
    version: int | None = None
    decisions: tuple[Decision, ...] = ()
    raw_inputs: tuple[PutRaw, ...] = ()
    outputs_crc: int | None = None


NOTHING = Extras()
