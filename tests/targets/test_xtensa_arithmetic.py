"""The integer arithmetic that Debian's libgcc for the LX106 lacks: an image of `optimize=size` with
a signature shifts 64 bits by a variable, and once did not link."""

from __future__ import annotations

import ctypes
import subprocess

import pytest

from tests.conftest import PROJECT

SOURCE = PROJECT / "targets" / "xtensa" / "arithmetic.c"
VALUES = (0, 1, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 0x0123456789ABCDEF, 2**63 - 1, 2**63, 2**64 - 1)


@pytest.fixture(scope="module")
def functions(tmp_path_factory: pytest.TempPathFactory) -> ctypes.CDLL:
    """Compiled for this computer, with every warning that firmware is compiled with."""
    library = tmp_path_factory.mktemp("xtensa") / "arithmetic.so"
    command = ["gcc", "-shared", "-fPIC", "-O1", "-Wall", "-Wextra", "-Werror", "-Wconversion"]
    subprocess.run([*command, str(SOURCE), "-o", str(library)], check=True)
    return ctypes.CDLL(str(library))


def signed(value: int) -> int:
    """Of 64 bits."""
    return value - 2**64 if value >= 2**63 else value


@pytest.mark.parametrize("value", VALUES)
def test_shifts(functions: ctypes.CDLL, value: int) -> None:
    """By all that C defines."""
    for name, type_of in (
        ("__ashldi3", ctypes.c_uint64),
        ("__lshrdi3", ctypes.c_uint64),
        ("__ashrdi3", ctypes.c_int64),
    ):
        function = functions[name]
        function.argtypes, function.restype = [type_of, ctypes.c_int], type_of
        for count in range(64):
            expected = {
                "__ashldi3": value << count & (2**64 - 1),
                "__lshrdi3": value >> count,
                "__ashrdi3": signed(value) >> count,
            }[name]
            assert function(type_of(value), count) == expected, (name, count)
