"""env.TinymlManifest: what a build was made of and by."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Any

from tinyml_rules.frontends.scons.action import HERE, PackageAction
from tinyml_rules.system.sources import compiler_files, package_files

FLAGS = "$CFLAGS $CCFLAGS $_CCCOMCOM"
"""What SCons gives the compiler of a C file."""


def write_manifest(target: list[Any], source: list[Any], env: Any) -> None:
    """Files of a build -> the manifest."""
    from tinyml_rules.firmware.manifest import manifest_text  # noqa: PLC0415 - only when needed
    from tinyml_rules.system.files import write_files  # noqa: PLC0415

    folder = Path(target[0].dir.abspath)
    files = [Path(node.abspath) for node in source]
    flags = shlex.split(env.subst(FLAGS))
    text = manifest_text(files, folder, compiler=env.subst("$CC"), flags=flags)
    write_files({target[0].name: text}, folder)


def tinyml_manifest(env: Any, name: Any, files: Any) -> Any:
    """The manifest of a build, as the file `name`: of models, programs and what else went in,
    with this environment's compiler and flags."""
    return MANIFEST.command(env, name, env.Flatten([files]))


def _files() -> tuple[str, ...]:
    own = package_files("firmware/manifest.py", f"{HERE}/manifest.py")
    return tuple(sorted({*compiler_files(), *own}))


MANIFEST = PackageAction(
    write_manifest, "$TINYML_MANIFESTCOMSTR", variables=("CC", "CFLAGS", "CCFLAGS"), files=_files
)
