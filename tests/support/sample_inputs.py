"""The samples of a model.toml as its model takes them: bitmaps, and features of sound."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import numpy.typing as npt

from models.samples import BITMAP_SUFFIX, sample_input
from tests.support.keyword_features import keyword_features
from tests.support.speech_features import speech_features
from tinyml_rules.ir.interface import Port

_KEYWORDS = "kws"


def input_of(name: str, file: Path, port: Port) -> npt.NDArray[np.int8]:
    """One sample of model `name`, of the shape of its input."""
    if file.suffix == BITMAP_SUFFIX:
        return sample_input(file, port)
    if name == _KEYWORDS:
        return keyword_features(file, port)
    return speech_features(file)
