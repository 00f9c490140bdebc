"""Bytecode of templates that is kept is that of the template, or is not used."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from unittest.mock import Mock

import jinja2
import pytest

from tinyml_rules.emit.templates_of import environment
from tinyml_rules.system import kept_templates
from tinyml_rules.system.kept_templates import KeptTemplates, when_rendered
from tinyml_rules.system.templates import templates

TEXT = "{{ 3 | twice }} of {{ what }}"
TEMPLATE = "it.j2"


@pytest.fixture(autouse=True)
def writes_bytecode(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever this process was told."""
    monkeypatch.setattr(sys, "dont_write_bytecode", False)


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A folder with one template."""
    (tmp_path / TEMPLATE).write_text(TEXT, encoding="utf-8")
    return tmp_path


def rendered(place: Path, *, times: int = 2, trims: bool = True) -> tuple[str, int]:
    """The text as a new process renders it, and how many templates that had to translate."""
    found = jinja2.Environment(  # noqa: S701 - no HTML
        loader=jinja2.FileSystemLoader(place),
        bytecode_cache=KeptTemplates(place / "kept"),
        trim_blocks=trims,
    )
    found.filters["twice"] = when_rendered(lambda value: value * times)
    translated = Mock(wraps=found._generate)
    found._generate = translated  # type: ignore[method-assign]
    text = found.get_template(TEMPLATE).render(what="these")
    return text, translated.call_count


def test_kept(place: Path) -> None:
    """The second time nothing is translated."""
    assert rendered(place) == ("6 of these", 1)
    assert rendered(place) == ("6 of these", 0)
    assert len(list((place / "kept").iterdir())) == 1


def test_in_any_folder(place: Path) -> None:
    """A copy in another folder is not translated again, and errors name the copy."""
    kept = KeptTemplates(place / "kept")
    for folder in (place, place / "copy"):
        folder.mkdir(exist_ok=True)
        (folder / TEMPLATE).write_text("line\n{{ 1 / what }}", encoding="utf-8")
        loader = jinja2.FileSystemLoader(folder)
        found = jinja2.Environment(loader=loader, bytecode_cache=kept)  # noqa: S701 - no HTML
        with pytest.raises(ZeroDivisionError) as caught:
            found.get_template(TEMPLATE).render(what=0)
        assert f"{folder / TEMPLATE}:2" in {
            f"{frame.path}:{frame.lineno + 1}" for frame in caught.traceback
        }
        assert len(list((place / "kept").iterdir())) == 1


def test_filters_count_when_they_are_called(place: Path) -> None:
    """Another version of one has its own results."""
    assert rendered(place) == ("6 of these", 1)
    assert rendered(place, times=5) == ("15 of these", 0)


def test_whatever_decides_the_bytecode(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Settings, versions, and the text, even with the same date and size."""
    rendered(place)
    assert rendered(place, trims=False)[1] == 1
    stat = (place / TEMPLATE).stat()
    (place / TEMPLATE).write_text(TEXT.replace("3", "4"), encoding="utf-8")
    os.utime(place / TEMPLATE, ns=(stat.st_atime_ns, stat.st_mtime_ns))
    assert rendered(place) == ("8 of these", 1)
    monkeypatch.setattr(kept_templates, "MAGIC_NUMBER", b"another Python")
    assert rendered(place)[1] == 1
    monkeypatch.setattr(jinja2, "__version__", "another Jinja")
    assert rendered(place)[1] == 1


@pytest.mark.parametrize("damage", ["cut", "changed", "emptied"])
def test_damaged(damage: str, place: Path) -> None:
    """It is translated anew, and kept again."""
    rendered(place)
    (file,) = (place / "kept").iterdir()
    data = bytearray(file.read_bytes())
    data[-1] ^= 1
    file.write_bytes({"cut": bytes(data[:-9]), "changed": bytes(data), "emptied": b""}[damage])
    assert rendered(place) == ("6 of these", 1)
    assert rendered(place) == ("6 of these", 0)


def test_of_somebody_else(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever runs as root in a user's folder runs no code of that user."""
    rendered(place)
    uid = os.geteuid()
    monkeypatch.setattr(os, "geteuid", lambda: uid + 1)
    assert rendered(place) == ("6 of these", 1)


def test_nowhere_to_keep(place: Path) -> None:
    """A folder that cannot be made, as in a home that is read-only."""
    (place / "kept").write_text("a file", encoding="utf-8")
    assert rendered(place) == ("6 of these", 1)
    assert rendered(place) == ("6 of these", 1)


def test_as_python_keeps_modules(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not where it is told to write none."""
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    rendered(place)
    assert not (place / "kept").exists()


def test_the_older_half_goes(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder does not grow with each version."""
    monkeypatch.setattr(kept_templates, "MOST_FILES", 3)
    for number in range(8):
        (place / TEMPLATE).write_text(f"{number}", encoding="utf-8")
        assert rendered(place) == (f"{number}", 1)
        assert len(list((place / "kept").iterdir())) <= 3
    assert rendered(place) == ("7", 0)


def test_templates_of_the_compiler_are_kept() -> None:
    """Their own filters and tests are called for no constant."""
    found, plain = environment(), templates(Path(), escapes=False)
    assert isinstance(found.bytecode_cache, KeptTemplates)
    own = [
        *(each for name, each in found.filters.items() if name not in plain.filters),
        *(each for name, each in found.tests.items() if name not in plain.tests),
    ]
    assert len(own) == 3
    template = found.from_string("{{ 1.5 | float_literal }}")
    assert template.render() == found.filters["float_literal"](None, 1.5)
    for each in own:
        assert each.jinja_pass_arg.name == "context"
