"""A SCons tool: what the SConstructs of digits, motion and rfc_cnn have in common.

Wants the tool `tinyml` beside it, and two variables: BOARD, which of the boards here it is, and
EMULATOR, the command that runs a firmware's file, for a board that is not this computer.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np

HERE = Path(__file__).parent


def generate(env: Any) -> None:
    """Put the methods into an environment."""
    env["PYTHON"] = sys.executable
    env["BOARDS"] = HERE.name
    env["PROGSUFFIX"] = ".elf"
    env.Append(CPPPATH=["build", f"../{HERE.name}"])
    for method in (real_values, samples, firmware, compare):
        words = method.__name__.split("_")
        env.AddMethod(method, "".join(word.capitalize() for word in words))


def exists(_env: Any) -> bool:
    """SCons asks."""
    return True


def real_values(env: Any, raw: str) -> Any:
    """build/<raw>: what the raw values in a .npz mean by the description TINYML_SENSOR."""
    return env.Command(f"build/{raw}", [raw, env["TINYML_SENSOR"]], write_real_values)


def write_real_values(target: list[Any], source: list[Any], env: Any) -> None:  # noqa: ARG001
    """[raw .npz, description] -> .npz; labels and their names stay as they are."""
    from tinyml_rules.quantizer.samples import load_arrays, with_real_values  # noqa: PLC0415
    from tinyml_rules.sensor.description import read_description  # noqa: PLC0415

    raw, described = (Path(node.path) for node in source)
    found = with_real_values(load_arrays(raw), read_description(described).inputs)
    np.savez(target[0].path, **found.by_name)


def samples(env: Any, raw: str, count: int) -> Any:
    """build/samples.h: `count` of the raw samples in a .npz, and their labels."""
    script = f"$PYTHON ../$BOARDS/samples.py $SOURCE {count} $TARGET"
    return env.Command("build/samples.h", raw, script)


def firmware(env: Any, name: str, model: Any) -> Any:
    """main.c for the environment's part: build/<board>/<name>.elf."""
    folder = f"build/{env['BOARD']}"
    env.VariantDir(f"{folder}/boards", f"../{HERE.name}", duplicate=False)
    boards = [f"{folder}/boards/{source}.c" for source in ("number", env["BOARD"])]
    return env.Program(f"{folder}/{name}", [env.Object(f"{folder}/main", "main.c"), boards, model])


def compare(env: Any, report: str, host: Any, emulated: Any) -> Any:
    """Run a firmware built for this computer, and one on the EMULATOR; all scores are the same."""
    if "HEX" in env:  # simavr takes no section but .text and .data from an ELF file
        emulated = env.Command(
            env.File(emulated[0]).target_from_source("", ".hex"), emulated, "$HEX"
        )
    script = "$PYTHON ../$BOARDS/compare.py $TARGET ${SOURCES[0]} $EMULATOR ${SOURCES[1]}"
    return env.Command(report, [host, emulated], script)
