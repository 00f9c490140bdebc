"""An imitation of RT-Thread's tools/building.py: what a board's and a package's SConscript use."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import SCons.cpp

Env: Any = None
BuildOptions: dict[str, Any] = {}


def PrepareBuilding(env: Any, root_directory: str) -> list[Any]:  # noqa: N802 - as it is there
    """Read the board's configuration and all SConscripts: the sources of the firmware."""
    global Env  # noqa: PLW0603 - as it is there
    Env = env
    env.Export(RTT_ROOT=root_directory)
    configuration = SCons.cpp.PreProcessor()
    configuration.process_contents(Path("rtconfig.h").read_text(encoding="utf-8"))
    BuildOptions.update(configuration.cpp_namespace)
    DefineGroup("Kernel", [], [], CPPPATH=[env.Dir("#").abspath])
    sources = list(env.SConscript("SConscript", variant_dir="build", duplicate=0))
    kernel = f"{root_directory}/src/SConscript"
    sources.extend(env.SConscript(kernel, variant_dir="build/kernel/src", duplicate=0))
    return sources


def GetDepend(depend: Any) -> bool:  # noqa: N802
    """Whether rtconfig.h switches on all that a group wants."""
    names = [depend] if isinstance(depend, str) else depend
    return all(name == "" or BuildOptions.get(name, 0) != 0 for name in names)


def GetCurrentDir() -> str:  # noqa: N802
    """The folder of the SConscript that is being read."""
    return str(Env.Dir(".").srcnode().abspath)


def DefineGroup(name: str, src: Any, depend: Any, **parameters: Any) -> list[Any]:  # noqa: N802, ARG001
    """The sources of a group; its paths become those of all."""
    if not GetDepend(depend):
        return []
    if "CPPPATH" in parameters:
        Env.AppendUnique(CPPPATH=[str(Path(path).absolute()) for path in parameters["CPPPATH"]])
    return list(Env.File(list(set(src)))) if isinstance(src, list) else src


def DoBuilding(target: str, objects: list[Any]) -> None:  # noqa: N802
    """Link everything."""
    Env.Program(target, sorted(objects))
