"""What the cases of operators share that only move elements: types, and numbers that say where."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
from hypothesis import strategies as st

from tinyml_rules.model_file.writer import ModelSpec, TensorSpec
from tinyml_rules.ops._shared.cases.case import Case, Reference, random, random_case

Shape = tuple[int, ...]


@dataclass(frozen=True)
class Types:
    """The element types that TFLM takes, and those that LiteRT takes in addition."""

    tflm: tuple[str, ...]
    litert: tuple[str, ...] = ()

    def case(self, model: ModelSpec, places: Mapping[int, int] | None = None) -> Case:
        """Random values, in the reference that takes the output's type; `places`: how far inputs
        count that are no values but say where."""
        is_of_tflm = model.tensors[model.outputs[0]].dtype in self.tflm
        found = random_case(model, reference=Reference.TFLM if is_of_tflm else Reference.LITERT)
        generator, samples = random(4), list(found.samples)
        for number, count in (places or {}).items():
            values = samples[number]
            samples[number] = generator.integers(0, count, values.shape).astype(values.dtype)
        return replace(found, samples=tuple(samples))

    def cases(self, make: Callable[[str], ModelSpec], *, suffix: str = "") -> dict[str, Case]:
        """One of every type, by its name."""
        return {f"{each}{suffix}": self.case(make(each)) for each in (*self.tflm, *self.litert)}

    @property
    def drawn(self) -> st.SearchStrategy[str]:
        """One of them."""
        return st.sampled_from((*self.tflm, *self.litert))


def integers(name: str, values: npt.ArrayLike, dtype: str = "int32") -> TensorSpec:
    """A constant that tells what to do."""
    data = np.asarray(values, dtype)
    return TensorSpec(name, data.shape, dtype, data=data)


def by_litert(model: ModelSpec) -> Case:
    """A case that TFLM refuses and LiteRT runs."""
    return random_case(model, reference=Reference.LITERT)


def with_an_input(model: ModelSpec) -> ModelSpec:
    """A model of constants alone with an input that nobody reads, so that it can be run."""
    unread = TensorSpec("unread", (1,), "int32")
    return replace(model, tensors=(*model.tensors, unread), inputs=(len(model.tensors),))
