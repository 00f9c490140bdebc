"""own_target.md and parts.md: the target that they show works, the names are real."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

from tests.conftest import MODELS_FOLDER, PROJECT
from tests.docs.pages import DOCS, code_blocks, read_page
from tests.support.hand_written import target_or_skip
from tinyml_rules.cli import main
from tinyml_rules.target.target import load_target, target_names

PAGE = read_page("how-to/own_target.md")
SINE = MODELS_FOLDER / "sine" / "sine.tflite"
CORES = {
    "AVR": "-mmcu",
    "Cortex-M0": "-mcpu=cortex-m0",
    "Cortex-M3": "-mcpu=cortex-m3",
    "Cortex-M4F": "-mcpu=cortex-m4",
    "Cortex-M7": "-mcpu=cortex-m7",
    "Cortex-M33": "-mcpu=cortex-m33",
    "Cortex-M55": "-mcpu=cortex-m55",
    "RV32IMC": "-march=rv32imc",
}


@pytest.fixture
def targets(tmp_path: Path) -> Path:
    """The folder of the page's target."""
    (text,) = code_blocks(PAGE, "toml")
    (path,) = re.findall(r"`(my_targets/\w+/target\.toml)`", PAGE)
    file = tmp_path / str(path)
    file.parent.mkdir(parents=True)
    file.write_text(text, encoding="utf-8")
    return file.parents[1]


def test_the_target_of_the_page_is_exact(targets: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Compiled for, linked with the part's memory, run on the parent's machine."""
    target_or_skip("lm3s6965")
    vectors = MODELS_FOLDER / "sine" / "vectors.npz"
    words = ["--targets", str(targets), "--target", "bluepill"]
    assert main(["test", str(SINE), *words, "--vectors", str(vectors)]) == 0
    assert "sine on bluepill" in capsys.readouterr().out


def test_the_target_of_the_page_has_its_own_memory(
    targets: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """What is too large for the part is refused, though the parent has room."""
    part, parent = load_target("bluepill", search=(targets, PROJECT / "targets")), "lm3s6965"
    assert part.memory is not None
    table = tomllib.loads((targets / "bluepill" / "target.toml").read_text(encoding="utf-8"))
    assert part.memory.ram.bytes == table["memory"]["ram"]["bytes"]
    assert part.features == load_target(parent).features
    text = (targets / "bluepill" / "target.toml").read_text(encoding="utf-8")
    small = text.replace("bytes = 65_536 }", "bytes = 16 }", 1)
    (targets / "bluepill" / "target.toml").write_text(small, encoding="utf-8")
    words = ["--targets", str(targets), "--target", "bluepill", "--out", str(tmp_path)]
    assert main(["compile", str(SINE), *words]) == 1
    assert "target 'bluepill' has 16" in capsys.readouterr().err


def test_every_target_serves_parts() -> None:
    """Each has a row of docs/reference/parts.md, under the core for which it is compiled."""
    rows = re.findall(r"^\| (`.+?) \| (.+?) \|", read_page("reference/parts.md"), re.M)
    named = [(name, core) for names, core in rows for name in re.findall(r"`(\w+)`", names)]
    assert sorted(name for name, _ in named) == sorted(target_names())
    for name, core in named:
        flags = " ".join(load_target(name).toolchain.compile_flags)
        for word, flag in CORES.items():
            if re.search(rf"\b{word}\b", core):
                assert flag in flags, name


def test_python_of_the_pages_is_python() -> None:
    """What needs TensorFlow or PyTorch, which the tests do not install, is parsed at least."""
    blocks = code_blocks(read_page("how-to/int8_models.md"), "python")
    assert len(blocks) == 2
    for block in blocks:
        compile(block, "int8_models.md", "exec")


def test_pages_install_what_can_be_installed() -> None:
    """The package is in no registry: a page that says `pip install tinyml-rules` misleads."""
    pages = [PROJECT / "README.md", *PROJECT.glob("*/*/README.md"), *DOCS.rglob("*.md")]
    assert len(pages) > 30
    assert [page for page in pages if "install tinyml-rules" in page.read_text("utf-8")] == []


def test_pages_install_the_clone() -> None:
    """From its own folder or, in an example, by the way to it: what pip is given is a project."""
    wrong, found = [], 0
    for page in [PROJECT / "README.md", *PROJECT.glob("*/*/README.md"), *DOCS.rglob("*.md")]:
        for path in re.findall(r"pip install (\.[\w./]*)", page.read_text("utf-8")):
            found += 1
            start = page.parent if path.startswith("..") else PROJECT
            if not (start / path / "pyproject.toml").is_file():
                wrong.append(f"{page.relative_to(PROJECT)}: {path}")
    assert wrong == []
    assert found > 8


def test_pages_use_what_cmake_3_20_has() -> None:
    """`--toolchain` is of 3.21."""
    pages = [*PROJECT.glob("examples/*/README.md"), *DOCS.rglob("*.md")]
    assert [page for page in pages if "--toolchain" in page.read_text("utf-8")] == []
