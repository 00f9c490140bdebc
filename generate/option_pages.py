"""The tables of options and outputs in the pages: one of all options, with how each build system
writes them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby

from tinyml_rules.accuracy.options import ACCURACY
from tinyml_rules.frontends.scons.settings import SETTINGS, variable_of
from tinyml_rules.quantizer.options import QUANTIZE
from tinyml_rules.reporting.rows import Rows, markdown
from tinyml_rules.request.option import Option
from tinyml_rules.request.options import OPTIONS
from tinyml_rules.request.outputs import OUTPUTS

_FORMS = {
    "command line, Make, Meson": "--{dashed}",
    "CMake": "{upper}",
    "SCons, RT-Thread": "TINYML_{upper}",
    "Bazel, `.tinyml.toml`": "{name}",
    "PlatformIO": "custom_tinyml_{name}",
}
"""How each way in writes the name of an option."""


def option_parts() -> Mapping[str, str]:
    """{part of a page: its table}."""
    of_options = {variable_of(name) for name in OPTIONS}
    settings = [
        {"variable": f"`{each.name}`", "default": f"`{each.default!r}`", "meaning": each.meaning}
        for each in SETTINGS
        if each.name not in of_options
    ]
    outputs = [{"file": f"`NAME{each.suffix}`", "holds": each.meaning} for each in OUTPUTS]
    return {
        "options": "\n\n".join(_sections()),
        "accuracy_options": markdown(_rows(ACCURACY.values(), {"option": "{name}"})),
        "quantize_options": markdown(_rows(QUANTIZE.values(), {"option": "{name}"})),
        "settings": markdown(settings),
        "outputs": markdown(outputs),
    }


def _sections() -> Iterator[str]:
    """A heading and a table for each group."""
    for group, options in groupby(OPTIONS.values(), key=lambda option: option.group):
        heading = f"{group[0].upper()}{group[1:]}"
        yield f"## {heading}\n\n{markdown(_rows(options, _FORMS))}"


def _rows(options: Iterable[Option], forms: Mapping[str, str]) -> Rows:
    """A row for each: its first form, its meaning, its other forms."""
    rows: Rows = []
    for option in options:
        words = {"name": option.name, "upper": option.name.upper(), "dashed": option.dashed}
        (first, name), *others = (
            (system, f"`{form.format(**words)}`") for system, form in forms.items()
        )
        rows.append({first: name, "meaning": cell(option.meaning("`")), **dict(others)})
    return rows


def cell(text: str) -> str:
    """What a table has on several lines."""
    return text.replace("|", "\\|").replace("\n", "<br>")
