"""What is generated in the pages is complete, and the README stays a page."""

from __future__ import annotations

import re
from collections.abc import Iterator
from xml.etree import ElementTree

import pytest

from benchmarks.results import rows_of
from benchmarks.tflm import references_of
from generate.comparison import comparison_svg, pairs_of
from generate.drawing import LIGHT
from generate.operator_table import SPECIFICATION, TYPES, type_rows
from generate.option_pages import option_parts
from generate.pages import PICTURES, with_parts
from tests.conftest import MODELS_FOLDER
from tests.docs.pages import PAGES, README, read_page
from tests.support.operator_cases import cases_of
from tinyml_rules.model_file.writer import OPTIONAL, ModelSpec
from tinyml_rules.ops import builtin_operators
from tinyml_rules.ops._shared.operator import Op
from tinyml_rules.request.options import OPTIONS

MOST_LINES = 150
ROWS = rows_of((MODELS_FOLDER / "results.json").read_text("utf-8"))
REFERENCES = references_of((MODELS_FOLDER / "tflm.json").read_text("utf-8"))


def test_every_part_is_somewhere() -> None:
    """A part that no page shows would never be looked at."""
    text = "".join(page.read_text(encoding="utf-8") for page in PAGES)
    for name in (
        "operators",
        "operator_types",
        "targets",
        "results",
        "headlines",
        "comparison",
        "benchmark_means",
        "benchmark_layers",
        "commands",
    ):
        assert text.count(f"<!-- {name} -->") == 1, name
    for name in ("programmers", "arduino_boards", *option_parts()):
        assert text.count(f"<!-- {name} -->") == 1, name


def test_every_operator_of_the_specification_is_there() -> None:
    """All 38, for the types of int8 models."""
    rows = {row["operator"]: row for row in type_rows()}
    taken = [name for name in SPECIFICATION if any(rows[name][str(each)] for each in TYPES)]
    assert len(taken) == len(SPECIFICATION) == 38


@pytest.mark.parametrize("op", builtin_operators().in_files, ids=lambda op: op.name)
def test_row_of_an_operator(op: Op) -> None:
    """Every type that its cases have, and that has a column, is one that the row says; a model of
    uint8 is read as one of int8."""
    (row,) = [each for each in type_rows() if each["operator"] == op.title]
    models = [
        case.model for name, case in cases_of(op.name).items() if not name.startswith("uint8_")
    ]
    found = {dtype for model in models for dtype in types_of(op, model)}
    assert {dtype for dtype in found if dtype in TYPES and not row[dtype]} == set()


def types_of(op: Op, model: ModelSpec) -> Iterator[str]:
    """Of the operand which is like the result, else of the first that is computed; of an operator
    that depends on shapes alone, of the result."""
    for node in model.operators:
        if op.name != node.name.lower() and op.custom_name != (node.custom_code or op.name):
            continue
        operands = [model.tensors[index] for index in node.inputs if index != OPTIONAL]
        computed = [tensor.dtype for tensor in operands if tensor.data is None]
        results = [model.tensors[index].dtype for index in node.outputs]
        alike = [dtype for dtype in computed if dtype in results]
        yield from (results if op.reads_shapes_alone else alike or computed or results)[:1]


def test_readme_is_short() -> None:
    assert len(README.read_text(encoding="utf-8").splitlines()) <= MOST_LINES


def test_readme_shows_the_picture() -> None:
    """For both kinds of pages, with a text for those who do not see it."""
    text = README.read_text(encoding="utf-8")
    assert re.search(
        r'<source media="\(prefers-color-scheme: dark\)" srcset="[^"]*dark.svg">', text
    )
    for name in PICTURES:
        assert name in text
    assert re.search(r'<img alt="[^"]{40,}"', text)


def test_readme_output_has_the_recorded_figures() -> None:
    """The example's lines on flash and RAM are those of models/results.json."""
    row, layers = (each for each in ROWS if (each.target, each.model) == ("atmega328", "sine"))
    assert (row.settings, layers.settings) == ("", "optimize=layers")
    text = README.read_text(encoding="utf-8")
    assert f"  flash      {row.flash_bytes:,} B of 32,768 B" in text
    assert f"  RAM        {row.ram_bytes:,} B of 2,048 B" in text


def test_picture() -> None:
    """Its bars are as long as the figures say, and its text for screen readers has all of them."""
    pairs = pairs_of(REFERENCES, ROWS)
    root = ElementTree.fromstring(comparison_svg(pairs, LIGHT))  # noqa: S314 - our own text
    shown = [pair for pair in pairs if pair.reference.core == "Cortex-M4"]
    described = "".join(each.text or "" for each in root if each.tag.endswith("desc"))
    widths: dict[str, list[int]] = {LIGHT.reference: [], LIGHT.ours: []}
    for bar in root:
        if bar.tag.endswith("rect") and bar.attrib["width"] != bar.attrib["height"]:
            widths[bar.attrib["fill"]].append(int(bar.attrib["width"]))
    ratios = []
    for pair in shown:
        theirs, ours = pair.reference, pair.ours
        assert ours.flash_bytes and ours.ram_bytes and ours.instructions
        assert f"{ours.flash_bytes:,} of TFLM's {theirs.flash_bytes:,}" in described
        ratios += [
            ours.flash_bytes / theirs.flash_bytes,
            ours.ram_bytes / theirs.ram_bytes,
            ours.instructions / theirs.instructions,
        ]
    drawn = [
        mine / whole
        for mine, whole in zip(widths[LIGHT.ours], widths[LIGHT.reference], strict=True)
    ]
    pixel = 1 / max(widths[LIGHT.reference])
    assert pixel < 0.02
    assert drawn == pytest.approx(ratios, abs=pixel)
    assert max(ratios) < 1, "the README's text of the picture says that each figure is smaller"


def test_a_foreign_part_stays() -> None:
    """Marks of other generators are left alone."""
    page = "<!-- settings -->\nmine\n<!-- /settings -->\n<!-- results -->\n<!-- /results -->\n"
    text = with_parts(page, {"results": "table"})
    assert text == page.replace("results -->\n<", "results -->\ntable\n<")


def test_command_line_names_every_command() -> None:
    """As a guard against a generator that finds nothing."""
    text = read_page("reference/command_line.md")
    for command in ("compile", "package", "run", "test", "inspect", "ops", "targets", "where"):
        assert f"### {command}\n" in text
    assert "--push-rows" not in text.split("<!-- commands -->")[1].split("<!-- /commands -->")[0]


def test_one_table_has_every_option() -> None:
    """With its spelling everywhere, and no other page repeats it."""
    rows = [line for line in read_page("reference/options.md").splitlines() if "<br>" in line]
    page = read_page("reference/options.md")
    for name, option in OPTIONS.items():
        spelt = (name.upper(), f"TINYML_{name.upper()}", name, f"custom_tinyml_{name}")
        (row,) = (each for each in page.splitlines() if each.startswith(f"| `--{option.dashed}` |"))
        assert row.endswith(f"| {' | '.join(f'`{each}`' for each in spelt)} |")
        others = [path for path in PAGES if option.help in path.read_text(encoding="utf-8")]
        assert [path.name for path in others] == ["options.md"], name
    assert len(rows) == sum(bool(option.choices) for option in OPTIONS.values())
