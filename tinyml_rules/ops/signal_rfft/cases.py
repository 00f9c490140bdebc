"""Cases of SignalRfft."""

from tinyml_rules.ops._shared.cases import fourier

CASES = fourier.cases(is_inverse=False)
SAMPLES = fourier.SAMPLES
REJECTED = fourier.wrong_nodes(is_inverse=False)
MODELS = fourier.models(is_inverse=False)
