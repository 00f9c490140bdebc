"""A copied folder of examples builds: `cp -r examples elsewhere`, then what each README says."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

import pytest

from tests.conftest import PROJECT
from tests.docs.pages import code_blocks
from tests.frontends.builds import SINE, run
from tests.frontends.node import check_node
from tests.support.hand_written import target_or_skip

EXAMPLES = PROJECT / "examples"
COPIES = {
    "node/sine.tflite": "sine.tflite",
    "rtthread/sine.tflite": "sine.tflite",
    "bazel/model/sine.tflite": "sine.tflite",
    "bazel/model/vectors.npz": "vectors.npz",
    "bazel-remote/models/sine.tflite": "sine.tflite",
    "bazel-remote/models/sine.npz": "vectors.npz",
    "scons/sine_vectors.npz": "vectors.npz",
}
"""Files of models/sine that an example has as well, because a link would lead out of the copy."""
BUILT = {
    "arduino": "libraries/sine/src/sine.c",
    "cmake": "build/node.elf",
    "custom_operator": "knob",
    "exchange": "slots",
    "make": "node.elf",
    "meson": "build/node.elf",
    "scons": "build/node.elf",
}
"""What the commands of each README make.  The other examples' tests build a copy as well."""
NOT_HERE = ("pip install", "scons target=", "./slots")
"""Lines that install, are the same for another part, or want images of the reader."""


def test_copies_are_those_of_the_model() -> None:
    assert {name for name in COPIES if not (EXAMPLES / name).is_file()} == set()
    for name, file in COPIES.items():
        assert (EXAMPLES / name).read_bytes() == (SINE / file).read_bytes(), name


def test_no_link_leads_out() -> None:
    """Nor to a file that is not there."""
    links = [path for path in EXAMPLES.rglob("*") if path.is_symlink()]
    wrong = [path for path in links if EXAMPLES not in path.resolve(strict=True).parents]
    assert wrong == []


@pytest.fixture(scope="module")
def copied(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The examples as `cp -r` copies them: links as links."""
    folder = tmp_path_factory.mktemp("copied") / "examples"
    ignore = shutil.ignore_patterns("build", "__pycache__", ".sconsign.dblite")
    shutil.copytree(EXAMPLES, folder, symlinks=True, ignore=ignore)
    return folder


@pytest.mark.parametrize("name", BUILT)
def test_readme(name: str, copied: Path, installed_python: Path) -> None:
    """In an environment with the package; that of the tests has SCons and Meson."""
    target_or_skip("atmega328")
    text = (copied / name / "README.md").read_text(encoding="utf-8")
    lines = code_blocks(text, "sh")[0].splitlines()
    commands = [line for line in lines if line and not any(word in line for word in NOT_HERE)]
    folders = [str(installed_python.parent), os.environ["PATH"], str(Path(sys.executable).parent)]
    variables = {"PATH": os.pathsep.join(folders), "PYTHONPATH": str(PROJECT)}
    for command in commands:
        if not command.startswith("simavr"):  # it never ends
            done = run(["bash", "-c", command], copied / name, variables=variables)
            assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"
    built = copied / name / BUILT[name]
    assert built.is_file()
    if built.name == "node.elf":
        check_node(built)
