"""Trains a PyTorch network to tell classes apart, the same way every time."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import torch
from torch import nn

Vary = Callable[[torch.Tensor], torch.Tensor]


def start(seed: int) -> None:
    """Pin what a training depends on; to be called before the network is made.

    One thread, for sums in one order.  Another processor or another release of PyTorch may still
    give other last bits, and so other weights.
    """
    torch.manual_seed(seed)
    torch.use_deterministic_algorithms(True)
    torch.set_num_threads(1)


def fit(
    network: nn.Module,
    inputs: np.ndarray,
    labels: np.ndarray,
    *,
    epochs: int,
    batch: int = 64,
    rate: float = 2e-3,
    decay: float = 1e-4,
    vary: Vary = lambda samples: samples,
) -> None:
    """Adam on the cross entropy of `inputs` (count, *shape), with a rate that falls to zero.

    It starts from random weights (He et al., 2015) and biases of 0.  `vary` makes other samples, as
    likely, of a batch.
    """
    network.apply(_initialize)
    x, y = torch.tensor(inputs, dtype=torch.float32), torch.tensor(labels, dtype=torch.int64)
    optimizer = torch.optim.AdamW(network.parameters(), lr=rate, weight_decay=decay)
    steps = epochs * -(-len(x) // batch)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, steps)
    network.train()
    for _ in range(epochs):
        for chosen in torch.randperm(len(x)).split(batch):
            loss = nn.functional.cross_entropy(network(vary(x[chosen])), y[chosen])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            schedule.step()
    network.eval()


def _initialize(layer: nn.Module) -> None:
    if isinstance(layer, nn.Conv2d | nn.Linear):
        nn.init.kaiming_normal_(layer.weight, nonlinearity="relu")
        nn.init.zeros_(layer.bias)


def accuracy(network: nn.Module, inputs: np.ndarray, labels: np.ndarray) -> float:
    """The share of `inputs` whose greatest output is their label's."""
    with torch.no_grad():
        outputs = network(torch.tensor(inputs, dtype=torch.float32))
    return float((outputs.argmax(1).numpy() == labels).mean())


def shifted(most: int) -> Vary:
    """Moves each of the images (count, channels, height, width) of a batch by up to `most` pixels
    in either direction; what comes in is as the edge."""

    def vary(images: torch.Tensor) -> torch.Tensor:
        padded = nn.functional.pad(images, (most, most, most, most), mode="replicate")
        height, width = images.shape[2:]
        places = torch.randint(0, 2 * most + 1, (len(images), 2)).tolist()
        return torch.stack(
            [
                image[:, down : down + height, across : across + width]
                for image, (down, across) in zip(padded, places, strict=True)
            ]
        )

    return vary
