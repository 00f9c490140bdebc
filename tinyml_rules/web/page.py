"""The page: what it shows of a firmware, as data, and the one file of HTML around it.

The same firmware and packages give the same bytes; no name of a model's is ever markup.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import jinja2
import numpy as np

from tinyml_rules.errors import UsageError
from tinyml_rules.ir.dtype import DType
from tinyml_rules.ir.graph import Array
from tinyml_rules.ir.interface import Interface, Port
from tinyml_rules.report_page.page import policy
from tinyml_rules.reporting.parts import MicrophoneFigures
from tinyml_rules.reporting.record import to_json
from tinyml_rules.reporting.report import Report
from tinyml_rules.sensor.description import Description
from tinyml_rules.sensor.named import ONLY
from tinyml_rules.system.ours import first_line
from tinyml_rules.system.templates import templates
from tinyml_rules.target.target import Target
from tinyml_rules.web.bundle import PACKAGES, Emulators
from tinyml_rules.web.editor import editor_of
from tinyml_rules.web.image import image_data, read_image

_MOST_RECORDED_BYTES = 24_000
"""Bytes of recorded inputs and outputs; the first is taken at any size."""
_TYPES = (
    *(DType.INT8, DType.UINT8, DType.INT16, DType.UINT16, DType.INT32, DType.UINT32),
    *(DType.FLOAT32, DType.BOOL),
)
"""Element types that the page reads and shows."""
_FIGURES = (
    *("arena_bytes", "flash_bytes", "ram_bytes", "static_ram_bytes", "stack_bytes"),
    *("invoke_stack_bytes", "target_flash_bytes", "target_ram_bytes"),
)


@dataclass(frozen=True)
class Known:
    """Data about a model that is not in its file; any part may be empty."""

    labels: tuple[str, ...] = ()
    """Labels of the first output's values, in order."""
    reference: str = ""
    """The function that it imitates, by its name in Python's `math`."""
    recorded: Mapping[str, Array] = field(default_factory=dict)
    """Inputs, and outputs as they have to be if they are known, by tensor with a leading axis of
    samples."""
    names: tuple[str, ...] = ()
    """Names of the first samples."""
    is_of_sound: bool = False
    """Whether a program outside the firmware makes its input from sound."""
    sensor: Description | None = None
    source: str = "TFLM"
    """What the recorded outputs are of."""


def live_page(
    report: Report, target: Target, elf_file: Path, known: Known, emulators: Emulators
) -> str:
    """The HTML of a minimal firmware with its report.

    Raises UsageError for a target or a model that no page can run, ToolError for esbuild's failure.
    """
    interface = report.interface
    data = _page_data(report, target, elf_file, known)
    emulator = str(data["image"]["emulator"])
    worker = emulators.bundle("emulator/worker.js", emulator)
    script = emulators.bundle("page/main.js", emulator)
    pages = _environment()
    sheets = ("style.css.j2", "web.css.j2")
    css = "".join(pages.get_template(name).render() for name in sheets)
    text: str = pages.get_template("live.html.j2").render(
        comment=first_line(interface.name),
        title=f"{interface.name} on {target.name}",
        target=target,
        data=data,
        json=_json_in_script(data),
        worker=_script(worker),
        script=_script(script),
        css=css,
        policy=policy(css, script, "worker-src blob:"),
        licence=emulators.licence(emulator),
        version=PACKAGES[emulator],
    )
    return text


def _page_data(report: Report, target: Target, elf_file: Path, known: Known) -> dict[str, Any]:
    """All that the page's script reads."""
    interface = report.interface
    for port in interface.ports:
        if port.dtype not in _TYPES:
            what = f"tensor '{port.tensor}' is {port.dtype}, which a page does not show"
            raise UsageError.at(interface.name, what)
    assert target.memory is not None, "an emulator knows the part"
    flashed = read_image(elf_file, target.memory)
    image = image_data(target, flashed, interface)
    figures = to_json(report)
    return {
        "model": interface.name,
        "target": target.name,
        "clock": target.clock_hz,
        "isExact": image["emulator"] == "avr8js",
        "source": target.cycles.source if target.cycles else "",
        "image": image,
        "code": _text_of(flashed.code),
        "inputs": [
            {**_port(port, ()), "axes": _axes(port, known, is_pushed=interface.pushed_rows > 0)}
            for port in interface.inputs
        ],
        "outputs": [
            {
                **_port(port, _labels(port, known, is_first=number == 0)),
                "event": _event(port, interface),
            }
            for number, port in enumerate(interface.outputs)
        ],
        "figures": {name: figures[name] for name in _FIGURES},
        "editor": editor_of(interface, known.sensor, reference=known.reference),
        "isOfSound": known.is_of_sound,
        "microphone": _microphone(report.microphone),
        "recorded": [] if interface.samples else _recorded(interface, known.recorded),
        "names": list(known.names),
        "recordedBy": known.source,
        "keeps": interface.has_variables or interface.event_bytes > 0,
        "isSliding": interface.slide > 0,
    }


def _microphone(figures: MicrophoneFigures | None) -> dict[str, int] | None:
    if figures is None:
        return None
    return {"rate": figures.sample_rate, "step": figures.step_samples}


def _port(port: Port, labels: Sequence[str]) -> dict[str, Any]:
    return {
        "name": port.tensor,
        "shape": list(port.shape),
        "count": port.count,
        "type": str(port.dtype),
        "scale": float(np.float32(port.scale)),
        "zeroPoint": port.zero_point,
        "labels": list(labels),
    }


def _axes(port: Port, known: Known, *, is_pushed: bool) -> list[str]:
    """What runs along the two sides of a map of its values, for people."""
    sides = [size for size in port.shape if size > 1]
    rows = [f"{size:,}" for size in sides[:2]]
    if len(rows) != 2:
        return ["", ""]
    if known.is_of_sound:
        return [f"time, {rows[0]} rows of features", f"{rows[1]} features"]
    return [f"{rows[0]} rows{', in time' if is_pushed else ''}", f"{rows[1]} columns"]


def _event(port: Port, interface: Interface) -> int | None:
    """The place of its function among those of events."""
    function = f"{port.accessor.replace('_output', '', 1)}_event"
    return interface.events.index(function) if function in interface.events else None


def _labels(port: Port, known: Known, *, is_first: bool) -> tuple[str, ...]:
    """Labels of an output's values: those of the description, or those given for the first
    output."""
    outputs = known.sensor.outputs if known.sensor else {}
    asked = outputs.get(port.tensor) or (outputs.get(ONLY) if is_first else None)
    found = asked.labels if asked and asked.labels else known.labels * is_first
    return found if len(found) == port.count else ()


def _recorded(interface: Interface, arrays: Mapping[str, Array]) -> list[dict[str, list[str]]]:
    """Samples as bytes, as many as are not too many."""
    if not arrays:
        return []
    ports = [port for port in interface.ports if port.tensor in arrays]
    size = sum(port.size_bytes for port in ports)
    count = len(arrays[ports[0].tensor])
    if any(arrays[port.tensor].dtype != port.dtype.numpy for port in ports):
        return []  # real numbers, where the firmware takes integers
    sides = {"inputs": interface.inputs, "outputs": interface.outputs}
    return [
        {
            side: [_text_of(arrays[port.tensor][index].tobytes()) for port in its if port in ports]
            for side, its in sides.items()
        }
        for index in range(min(count, max(1, _MOST_RECORDED_BYTES // size)))
    ]


def _text_of(data: bytes) -> str:
    return base64.b64encode(data).decode()


def _json_in_script(data: Mapping[str, Any]) -> str:
    """JSON without markup, for any names in it."""
    return json.dumps(data, separators=(",", ":")).replace("<", "\\u003c")


def _script(text: str) -> str:
    """JavaScript of ours and of the packages, as the text between two tags."""
    assert "</script" not in text.lower()
    assert "<!--" not in text
    return text


@cache
def _environment() -> jinja2.Environment:
    package = Path(__file__).resolve().parents[1]
    folders = [package / "web" / "templates", package / "report_page" / "templates"]
    return templates(folders, escapes=True, keeps_end=False)
