"""exp, expm1, log, tanh, sqrt, sin, cos, erfc and powers of float32 are those of the C library, in
C and in numpy."""

from __future__ import annotations

import platform
from pathlib import Path

import numpy as np
import pytest

from benchmarks.real_functions import FUNCTIONS, differences

STEP = 4093
"""`python -m benchmarks.real_functions` tries every float."""
ROUNDED_CORRECTLY_SINCE = (2, 41)
"""Of the GNU C library: expm1, tanh and erfc, which were fdlibm's before."""


@pytest.mark.parametrize("name", FUNCTIONS)
def test_library(name: str, tmp_path: Path) -> None:
    """Of a million floats of every size none differs; where the library is another one than that
    whose steps they are, fewer than a tenth do."""
    with np.errstate(all="ignore"):
        in_c, in_numpy = differences(name, STEP, tmp_path)
    library, version = platform.libc_ver()
    numbers = tuple(int(each) for each in version.split(".")[:2]) if version else ()
    is_fdlibm = library == "glibc" and numbers < ROUNDED_CORRECTLY_SINCE
    if name in ("expm1", "tanh", "erfc") and not is_fdlibm:
        assert max(in_c, in_numpy) < 2**32 / STEP / 10
    else:
        assert (in_c, in_numpy) == (0, 0)
