"""CMSIS-Packs: the rules of the schema that ours could break, the zip, and that the C compiles.

PackChk, and the schema PACK.xsd itself, are not there."""

from __future__ import annotations

import re
import zipfile
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.conftest import ZooModel
from tests.frontends.builds import run
from tests.package.package_builds import TARGETS, make_package
from tests.support.hand_written import target_or_skip
from tinyml_rules.system.process import run_tool
from tinyml_rules.target.target import load_target

RESTRICTED = re.compile(r"[-_A-Za-z0-9/]+")
CORES = {
    *("SC000", "SC300", "Cortex-M0", "Cortex-M0+", "Cortex-M1", "Cortex-M3", "Cortex-M4"),
    *("Cortex-M7", "Cortex-M23", "Cortex-M33", "Cortex-M35P", "Cortex-M52", "Cortex-M55"),
    *("Cortex-M85", "Star-MC1"),
}
CATEGORIES = {"doc", "header", "source", "other"}
"""Of the schema's values, those that we use."""


def pack_of(folder: Path) -> ElementTree.Element:
    """The root of the .pdsc of a pack."""
    (file,) = folder.glob("*.pdsc")
    return ElementTree.parse(file).getroot()  # noqa: S314 - our own file


def text_of(parent: ElementTree.Element, path: str) -> str:
    """The text of an element that has to be there."""
    element = parent.find(path)
    assert element is not None, path
    return element.text or ""


@pytest.mark.parametrize("target", ["nrf51", "stm32f405", "mps3_an547"])
def test_description(target: str, tmp_path: Path) -> None:
    """Required elements, restricted words, files that are there, a condition that is defined."""
    options = ("--version", "1.2.3", "--author", "Acme", "--url", "https://example.com/a?b&c")
    folder = make_package("cmsis-pack", tmp_path / "sine", *options, target=target)
    pack = pack_of(folder)
    assert pack.tag == "package"
    assert [each.tag for each in pack] == [
        *("vendor", "name", "description", "url", "releases", "keywords", "conditions"),
        "components",
    ]
    assert (text_of(pack, "vendor"), text_of(pack, "name")) == ("Acme", "sine")
    assert text_of(pack, "url") == "https://example.com/a?b&c"
    assert [each.get("version") for each in pack.findall("releases/release")] == ["1.2.3"]
    (condition,) = pack.findall("conditions/condition")
    (component,) = pack.findall("components/component")
    assert component.get("condition") == condition.get("id")
    assert component.get("Cversion") == "1.2.3"
    for word in ("Cclass", "Cgroup", "Csub"):
        assert component.get(word)
    for file in component.findall("files/file"):
        assert (folder / str(file.get("name"))).is_file()
        assert file.get("category") in CATEGORIES
    assert RESTRICTED.fullmatch(text_of(pack, "vendor"))


@pytest.mark.parametrize(
    ("target", "allowed", "refused"),
    [
        ("nrf51", {"Cortex-M0", "Cortex-M0+", "Cortex-M4", "Cortex-M55"}, set()),
        ("lm3s6965", {"Cortex-M3", "Cortex-M33"}, set()),
        ("stm32f405", {"Cortex-M4", "Cortex-M7", "Cortex-M33"}, {"Cortex-M3", "Cortex-M0"}),
        ("mps3_an547", {"Cortex-M55"}, {"Cortex-M4", "Cortex-M33"}),
    ],
)
def test_condition(
    target: str, allowed: set[str], refused: set[str], tmp_path: Path, zoo_model: ZooModel
) -> None:
    """The cores that have the instructions of the kernels, and no others."""
    model = zoo_model("speech")
    pack = pack_of(make_package("cmsis-pack", tmp_path, model=model, name="speech", target=target))
    accepted = [each.attrib for each in pack.findall("conditions/condition/accept")]
    cores = {each["Dcore"] for each in accepted}
    assert cores <= CORES
    assert allowed <= cores
    assert not refused & cores
    if "Cortex-M33" in cores and "Cortex-M3" not in cores:
        assert {"Dcore": "Cortex-M33", "Ddsp": "DSP"} in accepted
    assert all("Dmve" in each for each in accepted) == (target == "mps3_an547")


@pytest.mark.parametrize("target", ["nrf52840", "mps3_an547"])
def test_condition_of_a_table(target: str, tmp_path: Path) -> None:
    """What needs no instruction of its own is for all cores, whatever the target has."""
    folder = make_package("cmsis-pack", tmp_path / "sine", target=target)
    accepted = pack_of(folder).findall("conditions/condition/accept")
    cores = {each.get("Dcore") for each in accepted}
    assert cores >= {"Cortex-M0", "Cortex-M3", "Cortex-M4", "Cortex-M33", "Cortex-M55"}
    assert {len(each.attrib) for each in accepted} == {1}
    assert "| needs | a Cortex-M; " in (folder / "README.md").read_text(encoding="utf-8")
    command = [load_target(target).toolchain.program("gcc"), "-mcpu=cortex-m0", "-mthumb", "-c"]
    for source in sorted((folder / "src").glob("*.c")):
        words = [*command, f"-I{folder / 'include'}", str(source), "-o", str(tmp_path / "o")]
        run_tool(words, where=source.name)


@pytest.mark.parametrize("target", ["nrf51", "stm32f405", "mps3_an547"])
def test_sources_compile(target: str, tmp_path: Path) -> None:
    """The files that the .pdsc names, unpacked from the .pack, for the target's processor."""
    part = target_or_skip(target)
    folder = make_package("cmsis-pack", tmp_path / "sine", target=target)
    (archive,) = folder.glob("*.pack")
    unpacked = tmp_path / "unpacked"
    with zipfile.ZipFile(archive) as pack_file:
        pack_file.extractall(unpacked)
    files = pack_of(unpacked).findall("components/component/files/file")
    include = [unpacked / Path(str(each.get("name"))).parent for each in files]
    sources = [
        unpacked / str(each.get("name"))
        for each in files
        if each.get("category") == "source" and each.get("attr") is None
    ]
    assert [source.name for source in sources] == ["sine_target.c", "sine.c"]
    for source in sources:
        output = tmp_path / f"{source.stem}.o"
        run_tool(part.toolchain.compile_command(source, output, include=include), where="pack")


def test_licence(tmp_path: Path) -> None:
    """An SPDX identifier; whatever is said, the description remains XML."""
    pack = pack_of(make_package("cmsis-pack", tmp_path / "sine", "--license", "MIT"))
    (licence,) = pack.findall("licenseSets/licenseSet/license")
    assert licence.attrib == {"title": "MIT", "spdx": "MIT", "name": "README.md"}
    pack = pack_of(make_package("cmsis-pack", tmp_path / "odd", "--license", 'A"<&>B'))
    (licence,) = pack.findall("licenseSets/licenseSet/license")
    assert licence.get("spdx") == 'A"<&>B'


def test_archive(tmp_path: Path) -> None:
    """The .pack is the folder, one date for all, and the same bytes each time."""
    first = make_package("cmsis-pack", tmp_path / "first")
    second = make_package("cmsis-pack", tmp_path / "second")
    archive = first / "tinyml_rules.sine.1.0.0.pack"
    assert archive.read_bytes() == (second / archive.name).read_bytes()
    with zipfile.ZipFile(archive) as pack_file:
        assert pack_file.testzip() is None
        names = pack_file.namelist()
        assert names == sorted(names)
        assert {entry.date_time for entry in pack_file.infolist()} == {(1980, 1, 1, 0, 0, 0)}
        contents = {name: pack_file.read(name) for name in names}
    folder = {
        path.relative_to(first).as_posix(): path.read_bytes()
        for path in first.rglob("*")
        if path.is_file() and path != archive
    }
    assert contents == folder


def test_processor_without_dsp(tmp_path: Path, zoo_model: ZooModel) -> None:
    """A build that ignores the condition fails in the first file."""
    target = target_or_skip(TARGETS["cmsis-pack"])
    folder = make_package("cmsis-pack", tmp_path, model=zoo_model("speech"), name="speech")
    command = [target.toolchain.program("gcc"), "-mcpu=cortex-m3", "-mthumb", "-c"]
    source = folder / "src" / "speech_target.c"
    done = run([*command, f"-I{folder / 'include'}", source, "-o", tmp_path / "o"], tmp_path)
    assert done.returncode != 0
    assert "speech was compiled for target stm32f405" in done.stderr
