"""External weights by the command line and by SCons, and every way to get them wrong."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import MODELS_FOLDER, PROJECT, ZooModel
from tests.support.hand_written import CACHE, target_or_skip
from tests.weights.external import compile_external, random_samples
from tinyml_rules.cli import main
from tinyml_rules.compiler import compile_model
from tinyml_rules.errors import DoesNotFitError, TargetError, ToolError, UsageError
from tinyml_rules.firmware.build import build_image
from tinyml_rules.firmware.measure import measure_image
from tinyml_rules.request.options import OPTIONS
from tinyml_rules.request.request import Request
from tinyml_rules.runners import run_image
from tinyml_rules.system.files import write_files
from tinyml_rules.target.target import load_target

SCONSTRUCT = """
import sys
sys.path.insert(0, {project!r})
env = Environment(
    tools=['default', 'tinyml'],
    toolpath=[{project!r} + '/tinyml_rules/frontends/scons'],
    TINYML_TARGET='host',
    TINYML_WEIGHTS=ARGUMENTS.get('weights', 'external'),
    TINYML_PAGE=ARGUMENTS.get('page', 64),
)
env.TinymlFirmware({model!r})
env.TinymlTest('sine_test', {model!r}, vectors={vectors!r})
"""


@pytest.mark.parametrize("word", ["0", "32768", "-1", "many", "", "1.5"])
def test_bad_page_sizes(word: str) -> None:
    with pytest.raises(UsageError) as caught:
        Request(b"", "model", load_target("host"), page_bytes=OPTIONS["page"].parse(word))
    expected = f"page: error: found '{word}', expected 1 to 32767 bytes"
    assert str(caught.value) == expected


def test_unknown_word() -> None:
    with pytest.raises(UsageError) as caught:
        OPTIONS["weights"].parse("eeprom")
    assert str(caught.value) == (
        "weights: error: unknown 'eeprom', expected one of flash, packed, external, partition"
    )


def test_command_line(
    zoo_model: ZooModel, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["compile", str(zoo_model("sine")), "--name=sine", f"--out={tmp_path}"]
    assert main([*words, "--weights=external", "--page=200"]) == 0
    assert sorted(file.name for file in tmp_path.iterdir()) == [
        *("sine.c", "sine.h", "sine.memory.svg", "sine.report.json", "sine.weights.bin")
    ]
    header = (tmp_path / "sine.h").read_text()
    size = (tmp_path / "sine.weights.bin").stat().st_size
    assert f"#define SINE_WEIGHTS_BYTES {size}\n" in header
    assert "#define SINE_PAGE_BYTES 200\n" in header
    assert "void tinyml_read(uint32_t offset, void *buffer, uint16_t size);\n" in header
    assert main([*words, "--weights=external", "--page=0"]) == 2
    assert main([*words, "--weights=nowhere"]) == 2
    assert "nowhere" in capsys.readouterr().err


def test_flash_is_the_default(zoo_model: ZooModel, tmp_path: Path) -> None:
    assert main(["compile", str(zoo_model("sine")), "--name=sine", f"--out={tmp_path}"]) == 0
    assert not (tmp_path / "sine.weights.bin").exists()
    assert "tinyml_read" not in (tmp_path / "sine.h").read_text()


def test_all_files_or_none(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_bytes(b"")
    with pytest.raises(UsageError):
        write_files({"a.c": "text", "a.bin": b"\x00\xff\n"}, blocked)
    write_files({"a.c": "text\n", "a.bin": b"\x00\xff\r\n"}, tmp_path / "out")
    assert (tmp_path / "out" / "a.bin").read_bytes() == b"\x00\xff\r\n"


def test_weights_in_flash_do_not_fit(zoo_model: ZooModel) -> None:
    """What external weights are for: the same model without them is refused."""
    part = load_target("atmega328")
    with pytest.raises(DoesNotFitError, match="bytes of flash for constants alone"):
        compile_model(Request(zoo_model("ad").read_bytes(), "ad", part))


@pytest.mark.parametrize(
    ("target", "what"),
    [
        ("host", "read past the end of the weights"),
        ("lm3s6965", "read past the end of the weights"),
        ("atmega328", "crashed: wrong command to the weights, or read past their end"),
    ],
)
def test_a_weights_file_cut_off(
    target: str, what: str, zoo_model: ZooModel, tmp_path: Path
) -> None:
    part = target_or_skip(target)
    compiled = compile_external(zoo_model("ad").read_bytes(), target=part)
    image = build_image(
        part,
        sources=compiled.outputs,
        interface=compiled.interface,
        kind="test",
        folder=tmp_path,
    )
    assert image.weights is not None
    image.weights.write_bytes(image.weights.read_bytes()[:-1])
    with pytest.raises(ToolError) as caught:
        run_image(part, image, random_samples(640).tobytes(), cache=CACHE)
    assert str(caught.value) == f"model on {target}: error: {what}"


def test_a_family_without_a_way_to_read(zoo_model: ZooModel, tmp_path: Path) -> None:
    folder = tmp_path / "targets" / "bare"
    folder.mkdir(parents=True)
    host = PROJECT / "targets" / "host"
    for name in ("target.toml", "port.c"):
        (folder / name).write_bytes((host / name).read_bytes())
    bare = load_target("bare", search=[tmp_path / "targets"])
    compiled = compile_external(zoo_model("sine").read_bytes(), target=bare)
    with pytest.raises(TargetError) as caught:
        build_image(
            bare,
            sources=compiled.outputs,
            interface=compiled.interface,
            kind="test",
            folder=tmp_path / "built",
        )
    assert str(caught.value) == (
        "bare: error: has neither weights.c nor weights_port.c, with which to read external weights"
    )


def test_the_page_is_static_ram(zoo_model: ZooModel, tmp_path: Path) -> None:
    """Where there are other layers than FULLY_CONNECTED, which reads bytes one by one."""
    part = target_or_skip("atmega1284p")
    sizes = []
    for page_bytes in (64, 200):
        compiled = compile_external(
            zoo_model("speech").read_bytes(), target=part, page_bytes=page_bytes
        )
        image = build_image(
            part,
            sources=compiled.outputs,
            interface=compiled.interface,
            folder=tmp_path / str(page_bytes),
        )
        sizes.append(measure_image(part, image).static_ram_bytes)
    assert sizes[1] - sizes[0] == 200 - 64


def test_scons(zoo_model: ZooModel, tmp_path: Path) -> None:
    """Builds, runs and compares; another page size rebuilds; a wrong word is an error."""
    words = {
        "project": str(PROJECT),
        "model": str(zoo_model("sine")),
        "vectors": str(MODELS_FOLDER / "sine" / "vectors.npz"),
    }
    (tmp_path / "SConstruct").write_text(SCONSTRUCT.format(**words))

    def scons(*arguments: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "SCons", "-Q", *arguments]
        return subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)

    first = scons()
    assert first.returncode == 0, first.stderr
    built = tmp_path / "build" / "host" / "sine"
    assert (built / "sine.weights.bin").stat().st_size > 0
    assert "up to date" in scons().stdout
    assert "TEST" in scons("page=32").stdout
    assert "#define SINE_PAGE_BYTES 32\n" in (built / "sine.h").read_text()
    assert "page: error: found 'zz'" in scons("page=zz").stderr
    assert "weights: error: unknown 'ram'" in scons("weights=ram").stderr
