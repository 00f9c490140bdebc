"""The same model gives the same bytes: again, in another process, and wherever the model lies."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from tests.conftest import PROJECT, ZooModel
from tests.emit.compiled import compile_c
from tests.ops.test_cases import targets_of
from tests.support.combined import targets_of_each_kind
from tests.support.operator_cases import OPERATORS, cases_of, file_of

SCRIPT = """
import hashlib, sys
from pathlib import Path
from tinyml_rules.compiler import compile_model
from tinyml_rules.request.request import Request
from tinyml_rules.target.target import load_target
for pair in sys.argv[1:]:
    target, path = pair.split("=", 1)
    made = compile_model(Request(Path(path).read_bytes(), "model", load_target(target)))
    files = made.texts
    sums = [(name, hashlib.sha256(text.encode()).hexdigest()) for name, text in files.items()]
    print(pair, sums)
"""


def hashes(pairs: Sequence[tuple[str, Path]], *, hash_seed: str) -> str:
    """What a process of its own makes of models for targets."""
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, *(f"{target}={path}" for target, path in pairs)],
        cwd=PROJECT,
        env={**os.environ, "PYTHONHASHSEED": hash_seed},
        capture_output=True,
        text=True,
        check=True,
        timeout=600,
    )
    return done.stdout


def test_across_processes(tmp_path: Path) -> None:
    """On targets of each kind, whatever order sets have: names, order and contents of the files.
    Operators that have no kernel of a target's own take turns on it."""
    targets = targets_of_each_kind()
    pairs = []
    for place, operator in enumerate(OPERATORS):
        name, case = next(iter(cases_of(operator).items()))
        path = tmp_path / f"{operator}_{name}.tflite"
        path.write_bytes(file_of(case))
        own = {*targets_of(operator)} & {*targets}
        pairs += [(target, path) for target in sorted(own | {targets[place % len(targets)]})]
    first, *others = (hashes(pairs, hash_seed=seed) for seed in ("0", "1", "77"))
    assert first.count(".report.json") == len(pairs) >= len(OPERATORS)
    assert [first == other for other in others] == [True, True]


def test_twice(zoo_model: ZooModel) -> None:
    """A model with many nodes; nothing in its files tells where they were made."""
    data = zoo_model("kws").read_bytes()
    first, second = compile_c(data, name="kws"), compile_c(data, name="kws")
    assert (first.outputs, first.report) == (second.outputs, second.report)
    text = "".join(first.texts.values())
    assert f"{PROJECT}/" not in text  # with its slash, or a short path is found by chance
    assert str(Path.home()) not in text


def test_name_changes_names_alone() -> None:
    """The files of one model under two names differ in nothing but the name."""
    data = file_of(cases_of("conv_2d")["same"])
    first, second = compile_c(data, name="aaa"), compile_c(data, name="bbb")
    for (name, text), (other_name, other) in zip(
        first.texts.items(), second.texts.items(), strict=True
    ):
        assert other_name == name.replace("aaa", "bbb")
        assert other == text.replace("aaa", "bbb").replace("AAA", "BBB")
