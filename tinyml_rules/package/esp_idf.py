"""A component of ESP-IDF: https://docs.espressif.com/projects/idf-component-manager."""

from __future__ import annotations

import re

from tinyml_rules.compiler import Compiled
from tinyml_rules.package.kind import Files, Kind, of_target, refuse_name
from tinyml_rules.package.model_files import example, model_files, sources
from tinyml_rules.package.order import Order
from tinyml_rules.package.render import render_files

CHIPS = {
    "esp32": ("esp32",),
    "esp32c3": ("esp32c3",),
    "riscv32imc": ("esp32c2", "esp32c3", "esp32c6", "esp32h2"),
    "xtensa_lx6": ("esp32",),
}
"""By target or family: the chips of ESP-IDF that run C compiled for it."""

_SLUG = re.compile(r"[A-Za-z0-9]+([_-][A-Za-z0-9]+)*")


def _check(order: Order) -> None:
    of_target(order.target, CHIPS, ecosystem="ESP-IDF")
    name = order.name
    if not _SLUG.fullmatch(name) or len(name) < 2 or name == "main":
        expected = "two or more letters and digits, single underscores between them, not 'main'"
        refuse_name(name, expected, ecosystem="an ESP-IDF component")


def _files(order: Order, compiled: Compiled) -> Files:
    chips = of_target(order.target, CHIPS, ecosystem="ESP-IDF")
    files = model_files(order, compiled, readme="esp_idf/readme.md.j2")
    project = f"examples/{order.name}"
    templates = {
        "CMakeLists.txt": "CMakeLists.txt.j2",
        "idf_component.yml": "idf_component.yml.j2",
        f"{project}/CMakeLists.txt": "example.cmake.j2",
        f"{project}/main/CMakeLists.txt": "example_main.cmake.j2",
        f"{project}/main/idf_component.yml": "example_main.yml.j2",
    }
    words = {"chips": chips, "sources": sources(order)}
    files.update(render_files("esp_idf", templates, order, compiled, **words))
    files[f"{project}/main/main.c"] = example(order, compiled, main="void app_main(void)")
    return files


KIND = Kind("component of ESP-IDF", _check, _files)
