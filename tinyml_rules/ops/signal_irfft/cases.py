"""Cases of SignalIrfft."""

from tinyml_rules.ops._shared.cases import fourier

CASES = fourier.cases(is_inverse=True)
SAMPLES = fourier.SAMPLES
REJECTED = fourier.wrong_nodes(is_inverse=True)
MODELS = fourier.models(is_inverse=True)
