"""The tool itself: `Environment(tools=['default', 'tinyml'], TINYML_TARGET='atmega328')`.

SCons loads a tool under its bare name, so this file is called like the tool.  It imports only what
reading an SConstruct needs: a build with nothing to do never loads the compiler.
"""

from __future__ import annotations

import shlex
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from SCons.Errors import UserError
from SCons.Tool import createCFileBuilders

PACKAGES = {
    **dict.fromkeys(("numpy", "jinja2", "flatbuffers", "tflite")),
    "elftools": "pyelftools",
}
"""The compiler's imports, with pip's name if it differs."""


def _require_packages() -> None:
    """Raise UserError where the Python that runs SCons lacks what a build would need later."""
    names = [name for name in ("tinyml_rules", *PACKAGES) if find_spec(name) is None]
    if names:
        checkout = Path(__file__).resolve().parents[3]
        is_checkout = (checkout / "pyproject.toml").is_file()
        ours = str(checkout) if is_checkout else "tinyml-rules"
        wanted = [ours] if "tinyml_rules" in names else [PACKAGES[name] or name for name in names]
        raise UserError(
            f"tinyml: error: the Python that runs SCons, {sys.executable}, has no "
            f"{', '.join(names)}\n"
            f"  hint: run: {shlex.join([sys.executable, '-m', 'pip', 'install', *wanted])}"
        )


_require_packages()

from tinyml_rules.errors import TinymlError  # noqa: E402 - a message first, where it is missing
from tinyml_rules.frontends.scons import firmware, library, manifest, model, quantize  # noqa: E402
from tinyml_rules.frontends.scons.alone import wait_for_other_builds  # noqa: E402
from tinyml_rules.frontends.scons.current import current_target  # noqa: E402
from tinyml_rules.frontends.scons.quoting import quote_paths  # noqa: E402
from tinyml_rules.frontends.scons.recorded import compare_with_record  # noqa: E402
from tinyml_rules.frontends.scons.settings import (  # noqa: E402
    check_known,
    in_words_of,
    set_defaults,
)
from tinyml_rules.frontends.scons.toolchain import use_toolchain  # noqa: E402
from tinyml_rules.system.programs import find_program  # noqa: E402


def generate(env: Any, **settings: Any) -> None:
    """Add the suffix, the builders and, where it is wanted, the toolchain of the part.

    `settings` are those of `env.Tool('tinyml', TINYML_TARGET=...)`.
    """
    wait_for_other_builds(env)
    try:
        check_known(settings)
        env.Replace(**settings)
        set_defaults(env)
        use_toolchain(env, current_target(env))
    except TinymlError as error:
        raise UserError(in_words_of(env, error)) from error
    quote_paths(env)
    env.SetDefault(TINYML_AS=model.named_as)
    c_files, _ = createCFileBuilders(env)
    c_files.add_action(".tflite", model.COMPILE)
    c_files.add_emitter(".tflite", model.emit_outputs)
    env.Append(BUILDERS={model.OF_ANY_SUFFIX: model.any_suffix_builder(env)})
    for name in ("StaticObject", "StaticLibrary", "Program"):
        compare_with_record(env["BUILDERS"][name])
    env.AddMethod(quantize.tinyml_quantize, "TinymlQuantize")
    env.AddMethod(library.tinyml_model, "TinymlModel")
    env.AddMethod(library.tinyml_library, "TinymlLibrary")
    env.AddMethod(firmware.tinyml_firmware, "TinymlFirmware")
    env.AddMethod(firmware.tinyml_test, "TinymlTest")
    env.AddMethod(firmware.tinyml_report, "TinymlReport")
    env.AddMethod(manifest.tinyml_manifest, "TinymlManifest")


def exists(env: Any) -> bool:
    """Whether the chosen part's compiler is here."""
    set_defaults(env)
    return find_program(current_target(env).toolchain.program("gcc")) is not None
