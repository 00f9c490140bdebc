"""The verb `tune`: which kernel is fastest for each layer, on the target's emulator."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tinyml_rules.frontends.scons.action import PackageAction


def tune_model(target: list[Any], source: list[Any], env: Any) -> None:  # noqa: ARG001
    """Measure, write the file beside the model, and print what was measured."""
    from tinyml_rules.commands.tune import tune_lines, write_kernels  # noqa: PLC0415
    from tinyml_rules.frontends.scons.model import request_of  # noqa: PLC0415
    from tinyml_rules.request.options_file import options_file  # noqa: PLC0415
    from tinyml_rules.tune.tune import tune  # noqa: PLC0415 - only when there is work

    request = request_of(source[0], env, name=env["MANIFEST"].name)
    tuned = tune(request)
    file = options_file(Path(source[0].abspath))
    write_kernels(file, request.target, tuned.kernels)
    print("\n".join(tune_lines(tuned, request.target, str(file))))


TUNE = PackageAction(tune_model, None, variables=())
