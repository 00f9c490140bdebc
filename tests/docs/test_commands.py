"""Every command of every page is run: here, by the test that follows its page, or by a named one.

Here each runs in a folder with the files that the pages speak of, made for the purpose under the
same names.  A page's files, blocks behind "`name`:" or with the name in their first line, are there
too.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from tests.conftest import MODELS_FOLDER, PROJECT, ZooModel
from tests.docs.pages import PAGES, code_blocks
from tests.docs.steps import output_of
from tests.quantize.float_models import reals
from tinyml_rules.model_file.writer import ModelSpec, OperatorSpec, TensorSpec, build_model

FOLLOWED = {
    "sine_on_an_uno.md": "docs/test_tutorials.py",
    "own_firmware.md": "docs/test_tutorials.py",
    "float_to_part.md": "docs/test_tutorials.py",
    "first_firmware.md": "docs/test_first_firmware.py",
    "bazel-remote.md": "bazel/test_remote_grid.py",
    "packages.md": "package/test_package.py",
    "budgets.md": "docs/test_budgets_page.py",
}
"""Pages whose commands another test runs, from the page or by the same words."""
BY_OTHERS = {
    r"git clone URL .*|cd tinyml_rules|(\S*python -m )?pip install \.": "frontends/conftest.py",
    r"\./tinyml check": "test_project_files.py",
    r"\./tinyml conformance.*": "test_conformance_verb.py",
    r"\./tinyml bench.*|scons bench.*": "benchmarks/test_bench_verb.py",
    r"\./tinyml site": "docs/test_site.py",
    r"(\./tinyml|scons) .*\bflash port=\S+": "frontends/test_scons_flash.py",
    r"(\./tinyml|scons) .*\btune|tinyml_rules tune .*": "tune/test_tune.py",
    r"(\./tinyml|scons) .*\bweb": "web/test_live_page.py",
    r"(\./tinyml|scons) .*\brun profile=yes": "frontends/test_scons_profile.py",
    r"(\./tinyml|scons) (target=\S+ model=\S+( optimize=\w+)?( run| test| size)?|-h)": (
        "frontends/test_scons_project.py"
    ),
    r"scons target=\S+ model=\S+ report": "frontends/test_scons_profile.py",
    r"bazel build .*": "bazel/test_firmware.py",
    r"python -m tinyml_rules package arduino .*": "package/test_package_arduino.py",
    r"export TINYML_RULES=\$\(python -m tinyml_rules where platformio\)": (
        "frontends/test_platformio.py"
    ),
}
"""Commands that take long, install or write to a board, and the tests of the same."""
_OURS = re.compile(r"(python -m )?tinyml_rules ")


def commands() -> Iterator[tuple[Path, str]]:
    """(page, command) of every line of a block of commands, without the comment behind it."""
    for page in PAGES:
        for block in code_blocks(page.read_text(encoding="utf-8"), "sh"):
            for line in block.replace("\\\n", " ").splitlines():
                words = re.sub(r"(^|\s)#.*", "", line).strip()
                if words:
                    yield page, " ".join(words.split())


OF_PAGES = tuple(commands())
HERE = tuple(
    dict.fromkeys(
        (page, words)
        for page, words in OF_PAGES
        if page.name not in FOLLOWED and not any(re.fullmatch(each, words) for each in BY_OTHERS)
    )
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The files that the pages name; small ones, but for those of the zoo."""
    made = tmp_path_factory.mktemp("pages")
    shutil.copy(MODELS_FOLDER / "sine" / "sine.tflite", made)
    output_of("tinyml_rules compile sine.tflite --target atmega328 --quiet", made)
    (made / "gesture_float.tflite").write_bytes(_gesture())
    random = np.random.default_rng(6)
    samples = random.normal(0, 1, (40, 32, 3)).astype(np.float32)
    np.savez(made / "samples.npz", gesture=samples)
    quantize = "quantize gesture_float.tflite --calibration samples.npz --quiet --out"
    for name in ("gesture.tflite", "gesture_int8.tflite"):
        output_of(f"tinyml_rules {quantize} {name}", made)
    return made


def _gesture() -> bytes:
    """Readings of three axes -> four classes, in float32."""
    window = TensorSpec("gesture", (1, 32, 3), "float32")
    flat = TensorSpec("flat", (1, 96), "float32")
    shape = TensorSpec("shape", (2,), "int32", data=np.array([1, 96], np.int32))
    tensors = (window, shape, flat, reals("weights", (4, 96)), reals("bias", (4,)))
    scores = TensorSpec("scores", (1, 4), "float32")
    reshape = OperatorSpec("RESHAPE", (0, 1), (2,), {"NewShape": (1, 96)})
    dense = OperatorSpec("FULLY_CONNECTED", (2, 3, 4), (5,), {})
    return build_model(ModelSpec((*tensors, scores), (reshape, dense), inputs=(0,), outputs=(5,)))


def test_every_command_has_a_test() -> None:
    """A new command is run by this file, which knows tinyml_rules alone, or is in a table above."""
    assert [words for _, words in HERE if not _OURS.match(words)] == []
    tests = {*FOLLOWED.values(), *BY_OTHERS.values()}
    assert [name for name in tests if not (PROJECT / "tests" / name).is_file()] == []
    every = [words for _, words in OF_PAGES]
    unused = [each for each in BY_OTHERS if not any(re.fullmatch(each, words) for words in every)]
    assert unused == []


@pytest.mark.parametrize(("page", "words"), HERE, ids=[words for _, words in HERE])
def test_command(page: Path, words: str, folder: Path, zoo_model: ZooModel) -> None:
    """It ends with exit status 0."""
    text = page.read_text(encoding="utf-8")
    for name in ("kws", "speech"):
        if f"{name}.tflite" in words:
            shutil.copy(zoo_model(name), folder)
    if "features.npy" in words:
        np.save(folder / "features.npy", np.zeros((1, 49, 10, 1), np.int8))
    for language in ("toml", "c", "python"):
        for block in code_blocks(text, language):
            named = re.match(r"(?:#|//|/\*) ([\w./-]+\.\w+)\b", block)
            if named:
                (folder / named[1]).write_text(block, encoding="utf-8")
    for target in re.findall(r"`(my_targets/\w+/target\.toml)`", text):
        file = folder / target
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(code_blocks(text, "toml")[0], encoding="utf-8")
    output_of(words, folder)
