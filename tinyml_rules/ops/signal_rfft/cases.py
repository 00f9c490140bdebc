"""Cases of SignalRfft."""

from hypothesis import strategies as st

from tinyml_rules.ops._shared.cases import fourier
from tinyml_rules.ops._shared.cases.fourier import NUMBERS, transform_case

CASES = fourier.cases(is_inverse=False)
SAMPLES = fourier.SAMPLES
REJECTED = fourier.wrong_nodes(is_inverse=False)

MODELS = st.builds(
    lambda factors, dtype, rows, seed: transform_case(
        2 * 2 ** factors[0] * 3 ** factors[1] * 5 ** factors[2],
        dtype,
        rows=(rows,),
        seed=seed,
        is_inverse=False,
    ),
    st.tuples(st.integers(0, 4), st.integers(0, 2), st.integers(0, 1)).filter(any),
    st.sampled_from(tuple(NUMBERS)),
    st.integers(1, 2),
    st.integers(0, 1000),
)
