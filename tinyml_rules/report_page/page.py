"""The whole page.  The same reports give the same bytes, and nothing in them is ever markup."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import jinja2

from tinyml_rules.report_page import curve, flash, graph, numbers
from tinyml_rules.report_page.fit import Tile, tiles, verdict
from tinyml_rules.report_page.layers import Layers, layers
from tinyml_rules.reporting.memory_picture.page import memory_element
from tinyml_rules.reporting.memory_picture.style import style
from tinyml_rules.reporting.memory_picture.table import alive_nodes
from tinyml_rules.reporting.parts import Remedy
from tinyml_rules.reporting.peak import Kind
from tinyml_rules.reporting.report import Report
from tinyml_rules.reporting.sizes import three_digits
from tinyml_rules.reporting.timeline import Timeline, timeline_from
from tinyml_rules.system.ours import first_line
from tinyml_rules.system.templates import templates

_MOST_FUNCTIONS = 24


@dataclass(frozen=True)
class _Tensor:
    """A row of the table of tensors."""

    number: int
    kind: str
    bytes: int
    offset: int
    end: int
    nodes: str
    name: str


@dataclass(frozen=True)
class _Section:
    """One report as the template reads it; `scope` is the prefix of its ids."""

    scope: str
    title: str
    report: Report
    verdict: str
    tiles: tuple[Tile, ...]
    memory: str
    """An element of SVG, whose names are escaped."""
    curve: curve.Drawing | None
    tensors: tuple[_Tensor, ...]
    layers: Layers
    flash: tuple[flash.Part, ...]
    drawing: graph.Drawing
    remedies: tuple[Remedy, ...]
    command: str

    @property
    def unit(self) -> str:
        """What a run counted; empty where nothing ran or was counted."""
        return "" if self.report.run is None else self.report.run.unit


def page(reports: Sequence[Report]) -> str:
    """The text of the HTML file; ASCII but for the page's own signs and the names of the files."""
    sections = [
        _section(f"m{number}", title, report)
        for number, (title, report) in enumerate(zip(_titles(reports), reports, strict=True))
    ]
    pages = environment()
    picture_style = "".join(style(each.scope) for each in sections)
    css = pages.get_template("style.css.j2").render() + picture_style
    script = pages.get_template("sort.js.j2").render()
    text: str = pages.get_template("page.html.j2").render(
        comment=first_line(reports[0].model),
        sections=sections,
        css=css,
        script=script,
        policy=policy(css, script),
        most_functions=_MOST_FUNCTIONS,
    )
    return text


def _titles(reports: Sequence[Report]) -> Iterator[str]:
    """Model and target; of several with the same ones the options too, and a number."""
    titles = [f"{each.model} on {each.target}" for each in reports]
    with_options = [
        ", ".join((title, *(f"{key}={each.options[key]}" for key in sorted(each.options))))
        if titles.count(title) > 1
        else title
        for title, each in zip(titles, reports, strict=True)
    ]
    for number, title in enumerate(with_options):
        yield title if with_options.count(title) == 1 else f"{title} ({number + 1})"


def _section(scope: str, title: str, report: Report) -> _Section:
    timeline = timeline_from(report)
    return _Section(
        scope=scope,
        title=title,
        report=report,
        verdict=verdict(report),
        tiles=tuple(tiles(report)),
        memory=memory_element(timeline, scope),
        curve=curve.drawing(report),
        tensors=tuple(_tensors(timeline)),
        layers=layers(report),
        flash=tuple(flash.parts(report)),
        drawing=graph.drawing(report),
        remedies=tuple(_options(report)),
        command=_command(report),
    )


def _options(report: Report) -> list[Remedy]:
    """Those that save memory, the most first; what another model would take is no option."""
    found = (each for each in report.remedies if each.option)
    return sorted(found, key=lambda each: (-each.saved_bytes, each.text))


def _tensors(timeline: Timeline) -> Iterator[_Tensor]:
    for each in timeline.tensors:
        rows = f", {each.kept_rows:,} of {each.rows:,}" if each.kind is Kind.RING else ""
        kind, nodes = f"{each.kind.word}{rows}", alive_nodes(timeline.tasks, each)
        yield _Tensor(each.tensor, kind, each.size_bytes, each.offset, each.end, nodes, each.name)


def _command(report: Report) -> str:
    """What makes the page again from the model's file."""
    name = report.model
    words = [f"tinyml_rules report {name}.tflite --target {report.target} -o {name}.html"]
    for option, value in report.options.items():
        flag = f"--{option.replace('_', '-')}"
        if value is True:
            words.append(flag if option != "sensor" else f"{flag} FILE")
        else:
            words += [f"{flag}={each}" for each in (value if isinstance(value, list) else [value])]
    return " ".join(words)


def policy(css: str, script: str, *more: str) -> str:
    """Allow only this sheet and this script, no network, and `more`."""
    hashes = (f"style-src {_hash(css)}", f"script-src {_hash(script)}")
    return "; ".join(
        ("default-src 'none'", *hashes, *more, "base-uri 'none'", "form-action 'none'")
    )


def _hash(text: str) -> str:
    """The hash by which a policy allows an inline sheet or script."""
    digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
    return f"'sha256-{digest}'"


@cache
def environment() -> jinja2.Environment:
    """The templates, which escape all that they are given."""
    found = templates(Path(__file__).resolve().parent / "templates", escapes=True, keeps_end=False)
    found.filters.update(
        whole=numbers.whole,
        percent=numbers.percent,
        name=numbers.name,
        shape=numbers.shape,
        digits=three_digits,
    )
    found.globals.update(shapes=graph, plot=curve)
    return found
