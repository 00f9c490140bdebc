"""An architecture, as the modules of `architectures/` describe one each."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from benchmarks.networks import architectures
from benchmarks.networks.data import Array, Data
from benchmarks.networks.layers import Layers, Network, Shape, Value


@dataclass(frozen=True)
class Architecture:
    """`build` makes outputs of inputs of the shapes; `data`, in words `of_data`, trains it."""

    title: str
    of_data: str
    shapes: Sequence[Shape]
    build: Callable[..., Sequence[Value]]
    data: Callable[[], Data]
    epochs: int = 20
    rate: float = 3e-3

    @property
    def network(self) -> Network:
        layers = Layers()
        inputs = [layers.input(shape) for shape in self.shapes]
        return layers.network(self.build(layers, *inputs))


def found_architectures() -> dict[str, Architecture]:
    """By the name of the module that is there."""
    names = sorted(each.name for each in pkgutil.iter_modules(architectures.__path__))
    modules = {name: importlib.import_module(f"{architectures.__name__}.{name}") for name in names}
    return {name: module.ARCHITECTURE for name, module in modules.items()}


def first_parameters(network: Network, seed: int) -> dict[str, Array]:
    """Drawn in their order."""
    generator = np.random.default_rng(seed)
    return {
        each.name: generator.normal(each.start.mean, each.start.deviation, each.shape).astype(
            np.float32
        )
        for each in network.parameters
        if each.start is not None
    }
