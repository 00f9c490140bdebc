"""`./tinyml quantizer-survey [networks=NAME,..] [seed=NUMBER,..] [docs=yes]` trains the networks,
quantizes them and prints how good they are; with `docs=yes` it writes benchmarks/networks.json and
the page."""

from __future__ import annotations

import hashlib
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from benchmarks.networks.architecture import Architecture, found_architectures
from benchmarks.networks.by_tensorflow import name_of
from benchmarks.networks.data import Array
from benchmarks.networks.figures import (
    FIGURES,
    NetworkRow,
    network_rows,
    rows_of_networks,
    summary_of,
    text_of,
    with_tensorflow,
)
from benchmarks.networks.in_file import spec_of
from benchmarks.networks.measure import Case, case_of, centred_db, quantized, simplified
from tinyml_rules.model_file.writer import build_model
from tinyml_rules.reporting.rows import plain

SEEDS = (0, 1)
"""Those of the page."""
WORDS = ("networks", "seed", "docs")
MODELS = Path("build/networks")
"""Where the float models are written, and TensorFlow's are looked for."""
MOST_APART = 1e-4
"""Of the outputs of the file and of what was trained."""


@dataclass(frozen=True)
class Asked:
    """The words of the verb."""

    networks: tuple[str, ...]
    seeds: tuple[int, ...]
    is_recorded: bool


def asked_of(arguments: Sequence[str], known: Sequence[str]) -> Asked:
    """Raises ValueError for an unknown word, network or number."""
    values = {}
    for word in arguments:
        name, _, value = word.partition("=")
        if name not in WORDS or not value:
            raise ValueError(f"unknown '{word}', expected {', '.join(WORDS)} and a value")
        values[name] = value
    networks = values.get("networks", ",".join(known)).split(",")
    for each in networks:
        if each not in known:
            raise ValueError(f"unknown network '{each}', expected some of {', '.join(known)}")
    seeds = values.get("seed", ",".join(map(str, SEEDS))).split(",")
    if not all(each.isdecimal() for each in seeds):
        raise ValueError(f"'seed' is '{values['seed']}', expected whole numbers")
    is_recorded = values.get("docs") == "yes"
    if is_recorded and len(values) > 1:
        raise ValueError("docs=yes and a part of the networks, expected docs=yes alone")
    return Asked(tuple(networks), tuple(map(int, seeds)), is_recorded)


def trained_case(name: str, architecture: Architecture, seed: int) -> Case:
    """The trained network's file and its samples; its outputs are those of what was trained."""
    from benchmarks.networks.in_jax import outputs_of  # noqa: PLC0415 - the survey installs JAX
    from benchmarks.networks.train import trained  # noqa: PLC0415

    data, network = architecture.data(), architecture.network
    parameters = trained(architecture, data.train, seed)
    model = build_model(spec_of(network, parameters))
    case = case_of(model, data.train, data.unseen, seed)
    MODELS.mkdir(parents=True, exist_ok=True)
    (MODELS / f"{name}_{seed}.tflite").write_bytes(simplified(model))
    np.savez(MODELS / f"{name}_{seed}.npz", *case.calibration)
    wanted = outputs_of(network, parameters, data.unseen.inputs)
    for found, expected in zip(case.wanted, wanted, strict=True):
        apart = float(np.abs(found - np.asarray(expected)).max())
        assert apart <= MOST_APART, f"{name}: outputs of the file are {apart} apart"
    return case


def measured(name: str, architecture: Architecture, case: Case, seed: int) -> NetworkRow:
    """One row."""
    wanted: list[Array] = case.wanted
    chosen, of_tensorflow = quantized(case), MODELS / name_of(simplified(case.model))
    return NetworkRow(
        network=name,
        title=architecture.title,
        data=architecture.of_data,
        seed=seed,
        sha256=hashlib.sha256(case.model).hexdigest(),
        unseen=len(case.unseen[0]),
        plain=round(centred_db(quantized(case, is_plain=True).model, case, wanted), 2),
        chosen=round(centred_db(chosen.model, case, wanted), 2),
        steps=tuple(chosen.report["steps"]),
        tensorflow=round(centred_db(of_tensorflow.read_bytes(), case, wanted), 2)
        if of_tensorflow.is_file()
        else None,
    )


def main(arguments: Sequence[str]) -> int:
    """Train and measure; returns the exit status."""
    architectures = found_architectures()
    try:
        asked = asked_of(arguments, list(architectures))
    except ValueError as error:
        print(f"tinyml: quantizer-survey: error: {error}", file=sys.stderr)
        return 2
    rows = []
    for name in asked.networks:
        for seed in asked.seeds:
            print(f"{name}, seed {seed}", flush=True)
            architecture = architectures[name]
            rows.append(measured(name, architecture, trained_case(name, architecture, seed), seed))
    rows = with_tensorflow(rows, rows_of_networks(FIGURES.read_text(encoding="utf-8")))
    print(plain(network_rows(rows)))
    print(summary_of(rows))
    if asked.is_recorded:
        FIGURES.write_text(text_of(rows), encoding="utf-8")
        return subprocess.run([sys.executable, "-m", "generate"], check=False).returncode
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
