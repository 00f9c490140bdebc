"""Fills the templates of packages."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from xml.sax.saxutils import escape

import jinja2

from tinyml_rules import __version__
from tinyml_rules.compile import Compiled
from tinyml_rules.ir.interface import Interface, Port
from tinyml_rules.package.order import Order
from tinyml_rules.package.processor import processor_of


@cache
def _environment() -> jinja2.Environment:
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(Path(__file__).resolve().parent / "templates"),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,  # noqa: S701 - no HTML; XML and YAML have the filters below
    )
    environment.filters["quoted"] = json.dumps  # JSON's strings are YAML's too
    environment.filters["xml"] = escape
    return environment


def render(template: str, order: Order, compiled: Compiled, **words: object) -> str:
    """The text of one file of a package."""
    interface = compiled.interface
    return (
        _environment()
        .get_template(template)
        .render(
            order=order,
            name=order.name,
            macro=order.name.upper(),
            label=order.label,
            target=order.target,
            interface=interface,
            report=compiled.report,
            processor=processor_of(order.target),
            functions=functions(interface),
            constants=constants(interface),
            tinyml_version=__version__,
            **words,
        )
    )


def functions(interface: Interface) -> list[str]:
    """Every function of a model's header."""
    name = interface.name
    inputs = [] if interface.pushed_rows else [port.accessor for port in interface.inputs]
    begin = [f"{name}_begin"] if interface.has_begin else []
    conversions = [
        port.accessor.replace(f"{name}_", f"{name}_{verb}_", 1)
        for verb, ports in (("quantize", interface.inputs), ("dequantize", interface.outputs))
        for port in ports
    ]
    outputs = [port.accessor for port in interface.outputs]
    return [*inputs, *begin, interface.entry, *outputs, *conversions]


def constants(interface: Interface) -> list[str]:
    """Every macro of a model's header that a firmware may want."""
    macro = interface.name.upper()
    rows = [f"{macro}_ROWS_EXPECTED", f"{macro}_ROW_BYTES"] if interface.pushed_rows else []
    weights = [f"{macro}_WEIGHTS_BYTES", f"{macro}_PAGE_BYTES"]
    return [
        f"{macro}_ARENA_BYTES",
        *(weights if interface.has_external_weights else []),
        *(word for port in (*interface.inputs, *interface.outputs) for word in _of_port(port)),
        *rows,
    ]


def _of_port(port: Port) -> list[str]:
    return [f"{port.accessor.upper()}_{word}" for word in ("COUNT", "SCALE", "ZERO_POINT")]
