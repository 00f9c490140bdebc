"""Writes the signatures of a file: the keys by which sub-graphs are called from outside."""

from __future__ import annotations

from collections.abc import Sequence

import tflite
from flatbuffers.builder import Builder


def signatures_of(builder: Builder, signatures: Sequence[tuple[str, int]]) -> int:
    """The offset of the vector of signatures, pairs of a key and the number of a sub-graph; 0, and
    nothing in the file, without any."""
    offsets = [_signature(builder, key, number) for key, number in signatures]
    if not offsets:
        return 0
    tflite.ModelStartSignatureDefsVector(builder, len(offsets))
    for offset in reversed(offsets):
        builder.PrependUOffsetTRelative(offset)
    return int(builder.EndVector())


def _signature(builder: Builder, key: str, number: int) -> int:
    name = builder.CreateString(key)
    tflite.SignatureDefStart(builder)
    tflite.SignatureDefAddSignatureKey(builder, name)
    tflite.SignatureDefAddSubgraphIndex(builder, number)
    return int(tflite.SignatureDefEnd(builder))
