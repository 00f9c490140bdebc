"""What is generated in the pages at the root and in docs/: tables and pictures of code and figures.

A generated part of a page is between `<!-- name -->` and `<!-- /name -->`.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

import tinyml_rules
from benchmarks.bench import layer_table, means
from benchmarks.layer_figures import layers_of
from benchmarks.misra import category_of, reasons
from benchmarks.networks import figures as networks
from benchmarks.quantizer import FIGURES, quality_of, quality_rows
from benchmarks.release import release_of
from benchmarks.results import headline_rows, markdown_text, rows_of
from benchmarks.tflm import references_of
from benchmarks.worst_case_figures import FIGURES as BOUNDS
from benchmarks.worst_case_figures import bound_parts
from generate.bench_picture import bars_of, bench_svg
from generate.c_interface import SECTIONS as INTERFACE
from generate.c_interface import name_rows
from generate.comparison import comparison_rows, comparison_svg, pairs_of
from generate.drawing import DARK, LIGHT
from generate.messages import message_sections
from generate.one_kernel import architecture_parts
from generate.operator_table import kernel_rows, type_rows
from generate.option_pages import cell, option_parts
from generate.paper import paper_parts
from generate.project_parts import project_parts
from generate.python_page import python_parts
from generate.report_keys import SECTIONS, key_rows
from generate.template_words import word_rows
from generate.vscode import first_task
from tinyml_rules.commands.table import arguments, command_parser, usage, words_of
from tinyml_rules.ops import builtin_operators
from tinyml_rules.package.arduino import CORES
from tinyml_rules.package.kind import of_family
from tinyml_rules.reporting import tables
from tinyml_rules.reporting.rows import Rows, markdown
from tinyml_rules.request.command_line import add_options
from tinyml_rules.request.options import OPTIONS
from tinyml_rules.target.target import default_search, load_target, target_names

PICTURES = {"docs/pictures/comparison-light.svg": LIGHT, "docs/pictures/comparison-dark.svg": DARK}
BENCH_PICTURES = {
    "docs/pictures/benchmarks-light.svg": LIGHT,
    "docs/pictures/benchmarks-dark.svg": DARK,
}
PACKAGE = Path(tinyml_rules.__file__).parent
MESSAGES_PAGE = "docs/reference/troubleshooting.md"
HEADLINES = (
    *(("sine", "atmega328"), ("speech", "atmega328"), ("kws", "nrf52840")),
    *(("ad", "nrf52840"), ("person_detect", "nrf51"), ("person_detect", "atmega2560")),
)
"""Rows of the README's table: (model, target)."""

_SHARED = 3
"""An argument of at least so many commands is described once for all of them."""

_PART = re.compile(r"<!-- (\w+) -->\n.*?<!-- /\1 -->", re.S)


def generated_pages(root: Path) -> dict[str, str]:
    """{path from the project's folder: what the file has to hold}, from the files under `root`."""
    rows = rows_of(_text(root, "models/results.json"))
    layers = layers_of(_text(root, "benchmarks/layers.json"))
    release = release_of(_text(root, "benchmarks/release.json"))
    references = references_of(_text(root, "models/tflm.json"))
    pairs, bars = pairs_of(references, rows), bars_of(rows, release, references)
    parts = {
        **_tables(),
        "operators": markdown(tables.operator_rows(builtin_operators())),
        "kernels": markdown(kernel_rows()),
        "operator_types": markdown(type_rows()),
        "vscode_task": first_task(),
        "results": markdown_text(rows).strip(),
        "headlines": _table_of(headline_rows(rows, HEADLINES)),
        "comparison": _table_of(comparison_rows(pairs)),
        "benchmark_means": _table_of(list(means(rows, layers, release))),
        "benchmark_layers": _table_of(layer_table(layers, release)),
        "commands": command_line_text(command_parser(is_whole=True)),
        "messages": message_sections(PACKAGE, _PART.sub("", _text(root, MESSAGES_PAGE))),
        "report_keys": _sections({each: key_rows(each) for each in SECTIONS}),
        "c_interface": _sections({each: name_rows(each) for each in INTERFACE}),
        "quantizer": markdown(quality_rows(quality_of(_text(root, str(FIGURES))))),
        **survey_parts(root),
        "template_words": markdown(word_rows()),
        **paper_parts(_text(root, "models/paper.json"), rows),
        **option_parts(),
        **project_parts(),
        **python_parts(),
        **architecture_parts(root),
    }
    pages = {
        path.relative_to(root).as_posix(): with_parts(path.read_text(encoding="utf-8"), parts)
        for path in (*sorted(root.glob("*.md")), *sorted((root / "docs").rglob("*.md")))
    }
    pages |= {name: comparison_svg(pairs, theme) for name, theme in PICTURES.items()}
    return pages | {
        name: bench_svg(bars, theme, version=release.version)
        for name, theme in BENCH_PICTURES.items()
    }


def _tables() -> dict[str, str]:
    """{name of a part: its table}, of targets and boards."""
    return {
        "targets": markdown(tables.target_rows(default_search())),
        "programmers": markdown(programmer_rows()),
        "currents": markdown(current_rows()),
        "arduino_boards": markdown(arduino_rows()),
        "misra": markdown(misra_rows()),
    }


def survey_parts(root: Path) -> dict[str, str]:
    """{name of a part: its text}, of the surveys of networks and of bounds for the time."""
    return {
        **network_parts(_text(root, str(networks.FIGURES))),
        **bound_parts(_text(root, str(BOUNDS))),
    }


def network_parts(text: str) -> dict[str, str]:
    """{name of a part: its text}, of networks that the quantizer was not tuned to."""
    rows = networks.rows_of_networks(text)
    table, summary = markdown(networks.network_rows(rows)), networks.summary_of(rows)
    return {"networks": f"{table}\n\n{summary[0].upper()}{summary[1:]}."}


def _text(root: Path, name: str) -> str:
    return (root / name).read_text(encoding="utf-8")


def with_parts(page: str, parts: Mapping[str, str]) -> str:
    """The page with every part that is ours between its marks; other marks stay as they are."""

    def replaced(match: re.Match[str]) -> str:
        name = match[1]
        if name not in parts:
            return match[0]
        return f"<!-- {name} -->\n{parts[name]}\n<!-- /{name} -->"

    return _PART.sub(replaced, page)


def _table_of(rows: Rows) -> str:
    return markdown(rows) if rows else "No figures: the tools of these targets are missing."


def _sections(tables: Mapping[str, Rows]) -> str:
    """A heading and a table for each."""
    return "\n\n".join(f"## {title}\n\n{markdown(rows)}" for title, rows in tables.items())


def misra_rows() -> Rows:
    """The rules of MISRA C:2012 that generated C departs from."""
    return [
        {"rule": rule, "category": category_of(rule), "reason": reason}
        for rule, reason in reasons().items()
    ]


def programmer_rows() -> Rows:
    """What writes to the boards of each target that has a programmer."""
    parts = [load_target(name) for name in target_names()]
    return [
        {
            "target": part.name,
            "programmer": part.programmer.program,
            "format": part.programmer.format,
            "port": f"such as `{part.programmer.port}`" if part.programmer.port else "none",
        }
        for part in parts
        if part.programmer is not None
    ]


def current_rows() -> Rows:
    """What each part with [power] typically draws, and where that is said."""
    return [
        {
            "target": part.name,
            "supply (V)": f"{power.volts:g}",
            "active (mA)": f"{power.active_ma:g}",
            "asleep (µA)": "" if power.sleep_ua is None else f"{power.sleep_ua:g}",
            "source": power.source,
            "source of the sleep": power.sleep_source,
        }
        for part in map(load_target, target_names())
        if (power := part.power) is not None
    ]


def arduino_rows() -> Rows:
    """The targets that `package arduino` takes, and the architectures that its libraries name."""
    parts = [load_target(name) for name in target_names()]
    return [
        {
            "`--target`": f"`{part.name}`",
            "the part": part.description,
            "`architectures`": ", ".join(f"`{each}`" for each in cores),
        }
        for part in parts
        if (cores := of_family(part, CORES))
    ]


def command_line_text(parser: argparse.ArgumentParser) -> str:
    """Every command with its arguments, then those of several commands, as argparse was told."""
    commands = list(_commands(parser))
    users: dict[tuple[str, str], list[str]] = {}
    for name, _, command in commands:
        for argument in arguments(command):
            users.setdefault(_row(argument), []).append(name)
    shared = {row: names for row, names in users.items() if len(names) >= _SHARED}
    sections = [
        f"### {name}\n\n{_sentence(what)}\n\n```\ntinyml_rules {usage(name, command)}\n```"
        + _table([row for row in map(_row, arguments(command)) if row not in shared])
        for name, what, command in commands
    ]
    of_compilation = {f"`{words_of(each)}`" for each in arguments(_compilation())}
    table: Rows = [
        {"argument": text, "meaning": meaning, "of": ", ".join(names)}
        for (text, meaning), names in shared.items()
        if text not in of_compilation
    ]
    options = (
        f"{', '.join(users[_row(arguments(_compilation())[0])])} also take "
        "[the options of a compilation](options.md)."
    )
    heading = "### Arguments of several commands"
    return "\n\n".join([*sections, f"{heading}\n\n{options}\n\n{markdown(table)}"])


def _compilation() -> argparse.ArgumentParser:
    """The options of a compilation, which have a page of their own."""
    parser = argparse.ArgumentParser()
    add_options(parser, OPTIONS)
    return parser


def _commands(
    parser: argparse.ArgumentParser,
) -> Iterator[tuple[str, str, argparse.ArgumentParser]]:
    (group,) = (each for each in parser._actions if isinstance(each, argparse._SubParsersAction))
    for choice in group._choices_actions:
        yield choice.dest, choice.help or "", group.choices[choice.dest]


def _table(rows: list[tuple[str, str]]) -> str:
    if not rows:
        return ""
    return "\n\n" + markdown([{"argument": text, "meaning": what} for text, what in rows])


def _row(action: argparse.Action) -> tuple[str, str]:
    text = words_of(action).replace("|", "\\|")
    return f"`{text}`", cell(action.help or "")


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}."
