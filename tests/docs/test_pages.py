"""Every page is followed from top to bottom: here, or by the test that is named below.

A page begins in a folder with the models and samples that the pages speak of, made for the purpose
under the same names.  What a command leaves is there for the next.  `scons` and `./tinyml` run in a
clone.
"""

from __future__ import annotations

import re
import shlex
import shutil
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from models.zoo import load_manifest
from tests.compare.printing import printed
from tests.conftest import MODELS_FOLDER, PROJECT, ZooModel, ZooSample
from tests.docs.pages import PAGES, code_blocks
from tests.docs.steps import Runs, follow, hold, output_of
from tests.frontends.builds import copy_project
from tests.frontends.node import copy_example
from tests.quantizer.float_models import reals
from tests.support.wake_word import wake_word
from tinyml_rules.model_file.writer import ModelSpec, OperatorSpec, TensorSpec, build_model
from tinyml_rules.request.request import Request
from tinyml_rules.target.target import load_target

FOLLOWED = {
    "sine_on_an_uno.md": "docs/test_tutorials.py",
    "own_firmware.md": "docs/test_tutorials.py",
    "float_to_part.md": "docs/test_tutorials.py",
    "first_firmware.md": "docs/test_first_firmware.py",
    "bazel-remote.md": "bazel/test_remote_grid.py",
    "packages.md": "package/test_package.py",
    "notebook.md": "api/test_notebook.py",
    "budgets.md": "docs/test_budgets_page.py",
    "rust.md": "package/test_rust_page.py",
    "ci.md": "docs/test_budgets_page.py",
    "arithmetic.md": "docs/test_arithmetic_page.py",
}
"""Pages that another test follows, from the page or by the same words."""
BY_OTHERS = {
    r"git clone URL .*|cd tinyml_rules|(\S*python -m )?pip install \.": "frontends/conftest.py",
    r"\./tinyml check( full)?": "test_quick.py",
    r"\./tinyml conformance.*": "test_conformance_verb.py",
    r"\./tinyml fuzz.*": "fuzz/test_fuzz.py",
    r"\./tinyml bench.*": "benchmarks/test_bench_verb.py",
    r"\./tinyml site": "docs/test_site.py",
    r'eval "\$\(tinyml_rules completion bash\)"': "commands/test_completion.py",
    r"(\./tinyml|scons) .*\bflash port=\S+": "frontends/test_scons_flash.py",
    r"(\./tinyml|scons) .*\btune": "tune/test_tune.py",
    r"(\./tinyml|scons) .*\bweb": "web/test_live_page.py",
    r"bazel build .*": "bazel/test_firmware.py",
    r"export TINYML_RULES=\$\(python -m tinyml_rules where platformio\)": (
        "frontends/test_platformio.py"
    ),
}
"""Commands that take long, install or write to a board, and the tests of the same."""
EXAMPLE_OF = {"cmake.md": "cmake", "make.md": "make"}
"""Pages that show what building an example prints: they begin in a copy of it."""
_BUILDS = re.compile(
    r"cmake .*|make|touch \S+$|(arm-none-eabi-g)?cc .*|(arm-none-eabi-g|c)\+\+ .*|\./\w+"
)
_OURS = re.compile(r"(python -m )?tinyml_rules ")
_IN_A_CLONE = re.compile(r"(?:scons|\./tinyml) (.*)")


def commands_of(block: str) -> Iterator[str]:
    """The commands of a block, without the comments after them."""
    for line in block.replace("\\\n", " ").splitlines():
        words = re.sub(r"(^|\s)#.*", "", line).strip()
        if words:
            yield " ".join(words.split())


def is_by_others(words: str) -> bool:
    """Whether another test runs the same command."""
    return any(re.fullmatch(each, words) for each in BY_OTHERS)


OF_PAGES = tuple(
    (page, words)
    for page in PAGES
    for block in code_blocks(page.read_text(encoding="utf-8"), "sh")
    for words in commands_of(block)
)
PAGES_HERE = tuple(
    page
    for page in PAGES
    if page.name not in FOLLOWED
    and any(each == page and not is_by_others(words) for each, words in OF_PAGES)
)


@pytest.fixture
def clone(
    tmp_path_factory: pytest.TempPathFactory, zoo_model: ZooModel, zoo_sample: ZooSample
) -> Path:
    """A copy of the project in which nothing was built, with what it would download."""
    folder = copy_project(tmp_path_factory.mktemp("clone") / "tinyml_rules")
    downloads = folder / "build" / "models"
    downloads.mkdir(parents=True)
    for name in ("kws", "speech"):
        shutil.copy(zoo_model(name), downloads)
        for sample in load_manifest(MODELS_FOLDER, name).demo.samples:
            shutil.copy(zoo_sample(name, sample.file.name), downloads)
    return folder


@pytest.fixture
def folder(page: Path, tmp_path: Path, zoo_model: ZooModel, zoo_sample: ZooSample) -> Path:
    """The files that a page begins with; small ones, but for those of the zoo."""
    text = page.read_text(encoding="utf-8")
    if page.name in EXAMPLE_OF:
        return copy_example(EXAMPLE_OF[page.name], tmp_path)
    shutil.copy(MODELS_FOLDER / "sine" / "sine.tflite", tmp_path)
    for name in ("kws", "speech"):
        if f"{name}.tflite" in text:
            shutil.copy(zoo_model(name), tmp_path)
    for word in ("yes", "no"):
        if f"{word}_1000ms.wav" in text:
            shutil.copy(zoo_sample("speech", f"{word}_1000ms.wav"), tmp_path)
    if "signing.key" in text:
        (tmp_path / "signing.key").write_bytes(bytes(range(32)))
    if "features.npy" in text:
        np.save(tmp_path / "features.npy", np.zeros((1, 49, 10, 1), np.int8))
    if "kws_model.cc" in text:
        numbers = ", ".join(map(str, zoo_model("kws").read_bytes()))
        array = f"const unsigned char g_model[] = {{{numbers}}};\n"
        (tmp_path / "kws_model.cc").write_text(array, encoding="utf-8")
    if "okay_nabu.tflite" in text:
        (tmp_path / "okay_nabu.tflite").write_bytes(build_model(wake_word()))
    if "gesture" in text:
        _add_gesture(tmp_path)
    if "device.log" in text:
        request = Request(zoo_model("kws").read_bytes(), "kws", load_target("host"))
        (tmp_path / "device.log").write_bytes(printed(request, tmp_path / "device"))
    return tmp_path


def _add_gesture(folder: Path) -> None:
    (folder / "gesture_float.tflite").write_bytes(_gesture())
    samples = np.random.default_rng(6).normal(0, 1, (40, 32, 3)).astype(np.float32)
    np.savez(folder / "samples.npz", gesture=samples)
    quantize = "quantize gesture_float.tflite --calibration samples.npz --quiet --out"
    for name in ("gesture.tflite", "gesture_int8.tflite"):
        output_of(f"tinyml_rules {quantize} {name}", folder)


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
    """A command is one that this file can run, or is in a table above."""
    here = [words for page, words in OF_PAGES if page in PAGES_HERE and not is_by_others(words)]
    known = [
        each for each in here if any(form.match(each) for form in (_OURS, _IN_A_CLONE, _BUILDS))
    ]
    assert [words for words in here if words not in known] == []
    tests = {*FOLLOWED.values(), *BY_OTHERS.values()}
    assert [name for name in tests if not (PROJECT / "tests" / name).is_file()] == []
    every = [words for _, words in OF_PAGES]
    unused = [each for each in BY_OTHERS if not any(re.fullmatch(each, words) for words in every)]
    assert unused == []


def runs_beside(clone: Path) -> Runs:
    """Commands of a page, those of a clone in that folder; those of other tests are left out."""

    def run(block: str, folder: Path, status: int) -> str:
        here = [words for words in commands_of(block) if not is_by_others(words)]
        return output_of("\n".join(_where_it_runs(words, clone) for words in here), folder, status)

    return run


def _where_it_runs(words: str, clone: Path) -> str:
    in_clone = _IN_A_CLONE.fullmatch(words)
    if not in_clone:
        return words
    return f"(cd {shlex.quote(str(clone))} && python -m SCons -Q {in_clone[1]})"


@pytest.mark.parametrize("page", PAGES_HERE, ids=lambda page: page.name)
def test_page(page: Path, folder: Path, clone: Path, request: pytest.FixtureRequest) -> None:
    """Every command ends as the page says, and prints what it shows."""
    text = page.read_text(encoding="utf-8")
    hold(page, text, follow(text, folder, runs=runs_beside(clone)), request)
