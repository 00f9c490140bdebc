"""The example that hears words: as its README says, with both recordings of the zoo."""

from __future__ import annotations

import shutil
from pathlib import Path

from tests.conftest import PROJECT, ZooModel, ZooSample
from tests.docs.pages import code_blocks, read_page
from tests.docs.steps import output_of

EXAMPLE = PROJECT / "examples" / "wake_word"


def test_both_words(zoo_model: ZooModel, zoo_sample: ZooSample, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(EXAMPLE, tmp_path / "wake_word"))
    shutil.copy(zoo_model("speech"), folder)
    for word in ("yes", "no"):
        shutil.copy(zoo_sample("speech", f"{word}_1000ms.wav"), folder)
    (block,) = code_blocks((EXAMPLE / "README.md").read_text(encoding="utf-8"), "sh")
    assert output_of(block, folder).splitlines()[-1] == "yes"
    assert output_of("./listen no_1000ms.wav", folder).splitlines() == ["no"]


def test_the_page_has_it() -> None:
    """The same files are in docs/how-to/microphone.md, in the first of which is a name."""
    page = read_page("how-to/microphone.md")
    (toml, *_), (main,) = code_blocks(page, "toml"), code_blocks(page, "c")
    for name, shown in (("microphone.toml", toml), ("main.c", main)):
        first, _, file = (EXAMPLE / name).read_text(encoding="utf-8").partition("\n")
        assert first.startswith(("#", "/*"))
        assert shown.removeprefix(f"# {name}\n") == file, name
