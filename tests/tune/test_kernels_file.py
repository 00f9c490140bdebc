"""The file of options keeps its author's lines, and has the kernels of each target."""

from __future__ import annotations

from pathlib import Path

import pytest

from tinyml_rules.errors import UsageError
from tinyml_rules.request.options_file import read_options
from tinyml_rules.tune.file import with_kernels

FILE = Path("sine.tinyml.toml")
KERNELS = {"3": "conv_2d_patch", "1:0": "conv_2d"}
AUTHORS = """# mine
schedule = "layer"   # as it was

[target.atmega328]
push_rows = true
"""


def read(text: str, target: str, folder: Path) -> dict[str, object]:
    file = folder / FILE
    file.write_text(text, encoding="utf-8")
    return read_options(file, target)


@pytest.mark.parametrize("text", ["", AUTHORS])
def test_written_and_read(text: str, tmp_path: Path) -> None:
    """For one target and not for the others, and twice is the same as once."""
    found = with_kernels(text, "nrf52840", KERNELS, where=FILE)
    assert read(found, "nrf52840", tmp_path)["kernel"] == tuple(KERNELS.items())
    assert "kernel" not in read(found, "atmega328", tmp_path)
    assert with_kernels(found, "nrf52840", KERNELS, where=FILE) == found
    assert found.startswith(text)


def test_every_target_has_its_own(tmp_path: Path) -> None:
    """A second target leaves the first alone; both may go again, and leave what was there."""
    one = with_kernels(AUTHORS, "nrf52840", KERNELS, where=FILE)
    two = with_kernels(one, "atmega328", {"0": "conv_2d"}, where=FILE)
    assert read(two, "nrf52840", tmp_path) == {
        "schedule": "layer",
        "kernel": tuple(KERNELS.items()),
    }
    assert read(two, "atmega328", tmp_path) == {
        "schedule": "layer",
        "push_rows": True,
        "kernel": (("0", "conv_2d"),),
    }
    assert with_kernels(two, "atmega328", {}, where=FILE) == one
    assert with_kernels(one, "nrf52840", {}, where=FILE) == AUTHORS
    alone = with_kernels("", "nrf52840", KERNELS, where=FILE)
    assert with_kernels(alone, "nrf52840", {}, where=FILE) == ""


def test_authors_own_lines_of_kernels() -> None:
    """Written in one line they are replaced; as part of another table they are left, and told."""
    text = '[target.nrf52840]\nkernel = ["0=a"] # old\nram = 5\n'
    found = with_kernels(text, "nrf52840", {"1": "b"}, where=FILE)
    assert '"0=a"' not in found and '"1=b"' in found and "ram = 5" in found
    text = 'target = { nrf52840 = { kernel = ["0=a"] } }\n'
    with pytest.raises(UsageError) as caught:
        with_kernels(text, "nrf52840", {"1": "b"}, where=FILE)
    assert str(caught.value).startswith("sine.tinyml.toml: error: ")


def test_broken_file() -> None:
    """It is not written over."""
    with pytest.raises(UsageError, match="not valid TOML"):
        with_kernels("a = ", "nrf52840", KERNELS, where=FILE)
