"""Places that are computed and lie outside: the nearest inside, because an inference cannot fail.

The references end the inference with an error, or read what is not theirs.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

from tests.support.host import host, run_on_host
from tinyml_rules.compiler import compile_model
from tinyml_rules.model_file.writer import ModelSpec, build_model
from tinyml_rules.ops.embedding_lookup.cases import embedding_lookup
from tinyml_rules.ops.gather.cases import gather
from tinyml_rules.ops.gather_nd.cases import gather_nd
from tinyml_rules.ops.slice.cases import slice_model
from tinyml_rules.request.request import Request

PLACES = ((-1, 0), (4, 9), (5, -7), (2**31 - 1, -(2**31)))
SHAPE = (5, 4)
VALUES = np.arange(20, dtype=np.int8).reshape(SHAPE)


def output_of(model: ModelSpec, samples: bytes, folder: Path) -> bytes:
    """What the C of a checked build gives for one sample."""
    compiled = compile_model(Request(build_model(model), "model", host(), checked=True))
    return run_on_host(compiled.files, compiled.interface, samples, folder=folder)


def kept(place: int, most: int) -> int:
    """The nearest from 0 on."""
    return min(max(place, 0), most)


def input_bytes(places: npt.ArrayLike) -> bytes:
    """The values, and where something is."""
    return VALUES.tobytes() + np.array(places, np.int32).tobytes()


@pytest.mark.parametrize("places", PLACES)
def test_rows(places: tuple[int, int], tmp_path: Path) -> None:
    expected = VALUES[[kept(place, 4) for place in places]].tobytes()
    found = output_of(gather(SHAPE, None), input_bytes(places), tmp_path)
    assert found == expected


@pytest.mark.parametrize("places", PLACES)
def test_rows_of_a_table(places: tuple[int, int], tmp_path: Path) -> None:
    model = embedding_lookup(SHAPE, count=2)
    table = model.tensors[1].data
    assert isinstance(table, np.ndarray)
    expected = table[[kept(place, 4) for place in places]].tobytes()
    assert output_of(model, np.array(places, np.int32).tobytes(), tmp_path) == expected


@pytest.mark.parametrize("places", PLACES)
def test_one_value(places: tuple[int, int], tmp_path: Path) -> None:
    """Each number along its own axis."""
    expected = VALUES[kept(places[0], 4), kept(places[1], 3)].tobytes()
    found = output_of(gather_nd(SHAPE, None, of_indices=(2,)), input_bytes(places), tmp_path)
    assert found == expected


@pytest.mark.parametrize("places", PLACES)
def test_a_block(places: tuple[int, int], tmp_path: Path) -> None:
    """All of it stays inside."""
    row, column = kept(places[0], 3), kept(places[1], 1)
    found = output_of(slice_model(SHAPE, None, (2, 3)), input_bytes(places), tmp_path)
    assert found == VALUES[row : row + 2, column : column + 3].tobytes()
