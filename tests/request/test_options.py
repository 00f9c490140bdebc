"""The table of options: what a request has, and what each word of a way in means."""

from __future__ import annotations

from dataclasses import MISSING, fields
from enum import StrEnum
from pathlib import Path
from typing import Any, get_type_hints

import pytest

from tests.conftest import PROJECT
from tests.frontends.builds import SINE
from tinyml_rules.cli import main
from tinyml_rules.compiler import compile_model
from tinyml_rules.errors import UsageError
from tinyml_rules.ops import builtin_operators
from tinyml_rules.request.option import Kind
from tinyml_rules.request.options import OPTIONS
from tinyml_rules.request.outputs import OUTPUTS, output_suffixes
from tinyml_rules.request.request import Request, Weights
from tinyml_rules.system.ours import is_ours
from tinyml_rules.target.target import load_target

NO_OPTIONS = {"model", "name", "target", "marked", "watched", "annotated"}
"""Fields of a request that are no rows of the table."""


def test_every_option_is_a_field_of_a_request() -> None:
    """And every other field is one; the defaults are the same, and so are the words."""
    known = {each.name: each for each in fields(Request) if each.name not in NO_OPTIONS}
    kinds = get_type_hints(Request)
    assert {option.request_field for option in OPTIONS.values()} == set(known)
    assert Request(b"", "model", load_target("host")).operators is builtin_operators()
    for option in OPTIONS.values():
        if option.kind is Kind.FOLDERS:  # a request has what lies in them
            continue
        default = known[option.request_field].default
        assert default is not MISSING
        assert default == option.default
        if option.kind is Kind.WORD:
            kind = kinds[option.request_field]
            assert issubclass(kind, StrEnum)
            assert [each.value for each in kind] == list(option.choices)


def test_request_of_options() -> None:
    """Words become members; what is not given is the default."""
    options = {"weights": "external", "place": (("1", "fast"),), "page": 8}
    found = Request.of(b"", "model", load_target("host"), options)
    assert (found.weights, found.places, found.page_bytes) == (
        *(Weights.EXTERNAL, (("1", "fast"),), 8),
    )
    assert found.ram_bytes is None


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        ("push_rows", "yes", True),
        ("push_rows", False, False),
        ("push_rows", 1, True),
        ("ram", 1000, 1000),
        ("ram", "1000", 1000),
        ("place", "a=b=fast", (("a=b", "fast"),)),
        ("place", ["1=fast", "2=slow"], (("1", "fast"), ("2", "slow"))),
        ("schedule", "layer", "layer"),
        ("operators", "mine", (Path("mine"),)),
        ("operators", ["mine", Path("a/b")], (Path("mine"), Path("a/b"))),
    ],
)
def test_values(name: str, value: object, expected: Any) -> None:
    """Texts and values of Python mean the same."""
    assert OPTIONS[name].parse(value) == expected


_RAM = "expected a number of bytes (10k is 10,240) or one of fastest, least"


@pytest.mark.parametrize(
    ("word", "number"),
    [("10k", 10_240), ("10K", 10_240), ("10kB", 10_240), ("10 KiB", 10_240), ("1M", 1 << 20)],
)
def test_bytes(word: str, number: int) -> None:
    """As a linker script counts them."""
    assert OPTIONS["ram"].parse(word) == number
    assert OPTIONS["page"].parse("1k") == 1024


@pytest.mark.parametrize(
    ("name", "value", "text"),
    [
        ("push_rows", "maybe", "push_rows: error: found 'maybe', expected yes or no"),
        ("ram", "-1", f"ram: error: found '-1', {_RAM}"),
        ("ram", "1g", f"ram: error: found '1g', {_RAM}"),
        ("max_cycles", "1k", "max_cycles: error: found '1k', expected a number of cycles"),
        ("page", 0, "page: error: found '0', expected 1 to 32767 bytes"),
        ("operators", "", "operators: error: found nothing, expected a folder"),
        ("place", 7, "place: error: found '7', expected TENSOR=REGION"),
        (
            *("schedule", "layers"),
            "schedule: error: unknown 'layers', expected one of auto, layer, stream\n"
            "  hint: did you mean 'layer'?",
        ),
    ],
)
def test_mistakes(name: str, value: object, text: str) -> None:
    """Each is told with the option's name."""
    with pytest.raises(UsageError) as caught:
        OPTIONS[name].parse(value)
    assert str(caught.value) == text


def test_switch_that_is_off(tmp_path: Path) -> None:
    """The command line can say no, to what a file of options says."""
    (tmp_path / "sine.tflite").write_bytes((SINE / "sine.tflite").read_bytes())
    (tmp_path / "sine.tinyml.toml").write_text("checked = true\n")
    model = str(tmp_path / "sine.tflite")
    words = ["compile", model, "--optimize", "layers", "--quiet", "--out"]
    assert main([*words, str(tmp_path / "a")]) == 0
    assert main([*words, str(tmp_path / "b"), "--no-checked"]) == 0
    (tmp_path / "sine.tinyml.toml").unlink()
    assert main([*words, str(tmp_path / "c")]) == 0
    a, b, c = ((tmp_path / each / "sine.c").read_text() for each in "abc")
    assert a != b
    assert b == c


@pytest.mark.parametrize("weights", ["flash", "external"])
def test_outputs(weights: str, tmp_path: Path) -> None:
    """The list is what a model is compiled to, and each of it is known as ours."""
    model = (SINE / "sine.tflite").read_bytes()
    options = {"weights": weights}
    made = compile_model(Request.of(model, "sine", load_target("host"), options)).outputs
    assert set(made) == {f"sine{suffix}" for suffix in output_suffixes(options)}
    for name, content in made.items():
        data = content.encode() if isinstance(content, str) else content
        (tmp_path / name).write_bytes(data)
    assert all(is_ours(tmp_path / name) for name in made)


def test_outputs_of_make_and_meson() -> None:
    """Which have their lists in files that are not generated."""
    make = (PROJECT / "tinyml_rules" / "frontends" / "make" / "tinyml.mk").read_text()
    (external,) = (each.suffix for each in OUTPUTS if each.is_external)
    always = output_suffixes({})
    assert f"tinyml_suffixes = {' '.join(always)} $(if $(tinyml_is_external),{external})\n" in make
    meson = (PROJECT / "examples" / "meson" / "meson.build").read_text()
    names = ", ".join(f"'sine{suffix}'" for suffix in always)
    assert f"output: [{names}]" in meson
