"""A module of Zephyr: https://docs.zephyrproject.org/latest/develop/modules.html."""

from __future__ import annotations

from tinyml_rules.compile import Compiled
from tinyml_rules.package.kind import Files, Kind, of_target, refuse_name
from tinyml_rules.package.model_files import example, model_files, sources
from tinyml_rules.package.order import Order
from tinyml_rules.package.render import render_files

SYMBOLS = {
    "cortex_m": "CPU_CORTEX_M",
    "esp32": "XTENSA",
    "host": "ARCH_POSIX",
    "riscv": "RISCV",
    "xtensa_lx6": "XTENSA",
}
"""Of a target or family, the Kconfig symbol of Zephyr without which it is not offered."""


def _check(order: Order) -> None:
    of_target(order.target, SYMBOLS, ecosystem="Zephyr")
    if order.name.lower() == "zephyr":
        refuse_name(order.name, "one that is not Zephyr's own", ecosystem="a Zephyr module")


def _files(order: Order, compiled: Compiled) -> Files:
    symbol = of_target(order.target, SYMBOLS, ecosystem="Zephyr")
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
    words = {"symbol": symbol, "sources": sources(order)}
    files.update(render_files("zephyr", templates, order, compiled, **words))
    files[f"{sample}/src/main.c"] = example(order, compiled)
    return files


KIND = Kind("module of Zephyr", _check, _files)
