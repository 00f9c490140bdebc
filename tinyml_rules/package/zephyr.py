"""A module of Zephyr: https://docs.zephyrproject.org/latest/develop/modules.html."""

from __future__ import annotations

from collections.abc import Sequence

from tinyml_rules.compiler import Compiled
from tinyml_rules.ir.features import Feature, Need
from tinyml_rules.package.kind import Files, Kind, of_target, refuse_name
from tinyml_rules.package.model_files import example, model_files, sources
from tinyml_rules.package.order import Order
from tinyml_rules.package.render import render_files
from tinyml_rules.target.target import Target

SYMBOLS = {
    "cortex_m": "CPU_CORTEX_M",
    "esp32": "XTENSA",
    "host": "ARCH_POSIX",
    "riscv": "RISCV",
    "xtensa_lx6": "XTENSA",
}
"""By target or family: the Kconfig symbol of Zephyr that it depends on."""
_OF_FEATURES = {
    Feature.MVE: ("ARMV8_1_M_MVEI",),
    Feature.DSP: ("CPU_CORTEX_M4", "CPU_CORTEX_M7", "ARMV8_M_DSP", "ARMV8_1_M_MVEI"),
}
"""The symbols of the Cortex-M that have a feature, the feature that fewer have first."""


def _check(order: Order) -> None:
    of_target(order.target, SYMBOLS, ecosystem="Zephyr")
    if order.name.lower() == "zephyr":
        refuse_name(order.name, "one that is not Zephyr's own", ecosystem="a Zephyr module")


def symbols_of(target: Target, needs: Sequence[Need]) -> tuple[str, ...]:
    """One of these has to be set where C for the target with these needs is to run."""
    for feature, symbols in _OF_FEATURES.items():
        if feature.need in needs:
            return symbols
    return (of_target(target, SYMBOLS, ecosystem="Zephyr"),)


def _files(order: Order, compiled: Compiled) -> Files:
    files = model_files(order, compiled, readme="zephyr/readme.md.j2")
    sample = f"samples/{order.name}"
    templates = {
        "zephyr/module.yml": "module.yml.j2",
        "CMakeLists.txt": "CMakeLists.txt.j2",
        "Kconfig": "Kconfig.j2",
        f"{sample}/CMakeLists.txt": "sample.cmake.j2",
        f"{sample}/prj.conf": "prj.conf.j2",
        f"{sample}/sample.yaml": "sample.yaml.j2",
    }
    words = {"symbols": symbols_of(order.target, compiled.needs), "sources": sources(order)}
    files.update(render_files("zephyr", templates, order, compiled, **words))
    files[f"{sample}/src/main.c"] = example(order, compiled)
    return files


KIND = Kind("module of Zephyr", _check, _files)
