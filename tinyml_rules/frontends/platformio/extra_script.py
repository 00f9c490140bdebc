"""The script that PlatformIO runs: the library's, which also works in `extra_scripts`."""

# ruff: noqa: F821 - SCons defines Import(), and that defines env
# mypy: disable-error-code="name-defined"

import sys

try:
    from tinyml_rules.frontends.platformio import add_models
except ModuleNotFoundError as error:
    print(
        f"platformio: error: no module '{error.name}' in the Python that runs PlatformIO\n"
        f"  hint: run: {sys.executable} -m pip install CLONE, the folder of tinyml_rules",
        file=sys.stderr,
    )
    sys.exit(3)

Import("env")
add_models(env)
