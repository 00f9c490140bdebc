"""The tables of options and outputs in the pages of the build systems."""

from __future__ import annotations

from collections.abc import Mapping

from tinyml_rules.accuracy.options import ACCURACY
from tinyml_rules.frontends.scons.settings import SETTINGS
from tinyml_rules.quantize.options import QUANTIZE
from tinyml_rules.report.rows import markdown
from tinyml_rules.request.option import Option
from tinyml_rules.request.options import OPTIONS
from tinyml_rules.request.outputs import OUTPUTS

_FORMS = {
    "make_options": "--{dashed}",
    "meson_options": "--{dashed}",
    "rtthread_options": "TINYML_{upper}",
    "cmake_options": "{upper}",
    "bazel_options": "{name}",
    "platformio_options": "custom_tinyml_{name}",
    "file_options": "{name}",
}
"""By part of a page: how a build system writes the name of an option."""


def option_parts() -> Mapping[str, str]:
    """{part of a page: its table}."""
    parts = {part: _options_table(form) for part, form in _FORMS.items()}
    settings = [
        {"variable": f"`{each.name}`", "default": f"`{each.default!r}`", "meaning": each.meaning}
        for each in SETTINGS
    ]
    outputs = [{"file": f"`NAME{each.suffix}`", "holds": each.meaning} for each in OUTPUTS]
    parts["accuracy_options"] = _options_table("{name}", ACCURACY)
    parts["quantize_options"] = _options_table("{name}", QUANTIZE)
    return {**parts, "settings": markdown(settings), "outputs": markdown(outputs)}


def _options_table(form: str, table: Mapping[str, Option] = OPTIONS) -> str:
    rows = [
        {
            "option": f"`{form.format(name=name, upper=name.upper(), dashed=option.dashed)}`",
            "meaning": option.meaning("`"),
        }
        for name, option in table.items()
    ]
    return markdown(rows)
