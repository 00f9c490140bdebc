"""Which C comes out: `python -m benchmarks.digest FILE [models=DIR] [cases=TARGET,..]`.

FILE gets a line for each compilation: what was compiled, and the SHA-256 of all that came out.
It covers the zoo on one target of each set of features, with weights of every kind or for every
goal, and all cases of operators on the targets of `cases` (host, nrf52840 and atmega1284p).
A change that is to keep every byte of C has the same lines before and after:

    python -m benchmarks.digest before.txt   # in the revision before
    python -m benchmarks.digest after.txt
    diff before.txt after.txt
"""

from __future__ import annotations

import hashlib
import json
import os
import sys
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path

from models.zoo import load_manifest, model_names, obtain
from tests.support.operator_cases import OPERATORS, cases_of, file_of
from tinyml_rules.compiler import compile_model
from tinyml_rules.errors import TinymlError
from tinyml_rules.lower.choice import Optimize
from tinyml_rules.reporting.record import to_json
from tinyml_rules.request.request import Request, Weights
from tinyml_rules.target.parts import own_targets
from tinyml_rules.target.target import load_target

PROJECT = Path(__file__).resolve().parents[1]
CASES_ON = ("host", "nrf52840", "atmega1284p")


@dataclass(frozen=True)
class Compilation:
    """A model of the zoo, or all cases of an operator, on a target."""

    name: str
    target: str
    file: Path | None = None
    weights: Weights = Weights.FLASH
    optimize: Optimize = Optimize.BALANCED

    def lines(self) -> list[str]:
        """What came out, or what was refused."""
        if self.file is not None:
            words = f"{self.name} {self.target} {self.weights} {self.optimize}"
            return [f"{words} {self._digest(self.file.read_bytes(), self.name)}"]
        return [
            f"{self.name}/{name} {self.target} {self._digest(file_of(case), 'model')}"
            for name, case in cases_of(self.name).items()
        ]

    def _digest(self, model: bytes, name: str) -> str:
        request = Request(model, name, load_target(self.target))
        request = replace(request, weights=self.weights, optimize=self.optimize)
        try:
            made = compile_model(request)
        except TinymlError as error:
            return f"refused: {hashlib.sha256(str(error).encode()).hexdigest()}"
        sha = hashlib.sha256()
        for file, content in sorted(made.outputs.items()):
            sha.update(file.encode())
            sha.update(content.encode() if isinstance(content, str) else content)
        sha.update(json.dumps(to_json(made.report), sort_keys=True, default=str).encode())
        return sha.hexdigest()


def main(words: list[str]) -> None:
    """Write the file."""
    options = dict(word.split("=", 1) for word in words if "=" in word)
    (file,) = (word for word in words if "=" not in word)
    mirror = Path(options["models"]) if "models" in options else None
    targets = options.get("cases", ",".join(CASES_ON)).split(",")
    every = [*of_zoo(mirror), *of_cases([name for name in targets if name])]
    with ProcessPoolExecutor(os.cpu_count()) as pool:
        lines = [line for found in pool.map(Compilation.lines, every) for line in found]
    Path(file).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


def of_zoo(mirror: Path | None) -> Iterator[Compilation]:
    """Each model with everything that changes which kernels there are."""
    for name in model_names(PROJECT / "models"):
        manifest = load_manifest(PROJECT / "models", name)
        file = obtain(manifest.model, mirror=mirror, cache=PROJECT / "build" / "models")
        for target in targets_of_each_kind():
            for weights in Weights:
                yield Compilation(name, target, file, weights)
            for goal in Optimize:
                if goal is not Optimize.BALANCED:
                    yield Compilation(name, target, file, optimize=goal)


def targets_of_each_kind() -> list[str]:
    """One target of those for which a model becomes the same C."""
    kinds = {load_target(name).features: name for name in reversed(own_targets())}
    return sorted(kinds.values())


def of_cases(targets: list[str]) -> Iterator[Compilation]:
    """Every operator's cases."""
    for operator, target in product(OPERATORS, targets):
        yield Compilation(operator, target)


if __name__ == "__main__":
    main(sys.argv[1:])
