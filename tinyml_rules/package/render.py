"""Fills the templates of packages."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache, partial
from pathlib import Path
from xml.sax.saxutils import escape

import jinja2

from tinyml_rules import __version__
from tinyml_rules.compiler import Compiled
from tinyml_rules.package.order import Order
from tinyml_rules.package.processor import processor_of
from tinyml_rules.package.rust_words import (
    camel,
    documented,
    rust_float,
    rust_string,
    rust_type,
)
from tinyml_rules.reporting.sizes import bytes_in_words
from tinyml_rules.system.templates import templates


@cache
def _environment() -> jinja2.Environment:
    environment = templates(Path(__file__).resolve().parent / "templates", escapes=False)
    environment.filters["bytes_in_words"] = bytes_in_words
    environment.filters["quoted"] = partial(json.dumps, ensure_ascii=False)  # a string of YAML too
    environment.filters["xml"] = escape
    environment.filters["attribute"] = partial(escape, entities={'"': "&quot;"})
    for name, of_rust in (
        *(("rust_type", rust_type), ("rust_float", rust_float), ("rust_string", rust_string)),
        *(("documented", documented), ("camel", camel)),
    ):
        environment.filters[name] = of_rust
    return environment


def render_files(
    folder: str, templates: Mapping[str, str], order: Order, compiled: Compiled, **words: object
) -> dict[str, str]:
    """{path in the package: text} of the templates of a folder, which `templates` has by path."""
    return {
        path: render(f"{folder}/{template}", order, compiled, **words)
        for path, template in templates.items()
    }


def render(template: str, order: Order, compiled: Compiled, **words: object) -> str:
    """The text of one file of a package."""
    return (
        _environment()
        .get_template(template)
        .render(
            name=order.name,
            macro=order.name.upper(),
            label=order.label,
            target=order.target,
            interface=compiled.interface,
            report=compiled.report,
            microphone=compiled.report.microphone,
            events=compiled.interface.events,
            processor=processor_of(order.target, compiled.needs),
            tinyml_version=__version__,
            **words,
        )
    )
