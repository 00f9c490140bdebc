"""Every order in which a core has its weights has an inverse."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from tinyml_rules.cores import all_cores
from tinyml_rules.cores.order import Order

WITHOUT = {
    *("avr_plain", "dsp_dual_issue", "mac16"),
    *("plain", "plain64", "riscv_b"),
}
"""Cores that have their weights as they are in the file, or as another core has them."""


def orders() -> Iterator[tuple[str, Order]]:
    """(where it is, order) of each."""
    for name, core in all_cores().items():
        if (core.folder / "order.py").is_file():
            for word, value in vars(import_module(f"tinyml_rules.cores.{name}.order")).items():
                if isinstance(value, Order):
                    yield f"{name}.{word}", value


ORDERS = dict(orders())
SIZES = st.tuples(st.integers(1, 21), st.integers(1, 37))
EDGES = st.sampled_from((-128, -127, -1, 0, 1, 127))
MATRICES = SIZES.flatmap(
    lambda size: arrays(np.int8, size, elements=st.one_of(EDGES, st.integers(-128, 127)))
)


def test_cores_with_orders() -> None:
    """All but those that need none."""
    assert {name.partition(".")[0] for name in ORDERS} == all_cores().keys() - WITHOUT


@pytest.mark.parametrize("name", ORDERS)
@given(matrix=MATRICES)
def test_inverse(name: str, matrix: npt.NDArray[np.int8]) -> None:
    """Outputs and inputs that are left over included."""
    order = ORDERS[name]
    if not order.fits(matrix):
        matrix = np.maximum(np.resize(matrix, (4 * len(matrix), matrix.shape[1])), -127)
    if not order.fits(matrix):
        matrix = matrix >> 4  # of four bits
    assume(order.fits(matrix))
    found = order.unpack(order.pack(matrix), *matrix.shape)
    assert found.dtype == np.int8
    np.testing.assert_array_equal(found, matrix)
