"""The verb `web`: a page in which the firmware of a model runs, for any browser."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from SCons.Script import GetOption
from site_project import ROOT

from models.zoo import Manifest
from tinyml_rules.frontends.scons.action import PackageAction
from tinyml_rules.system.sources import package_files
from tinyml_rules.target.target import Target

NPM = ROOT / ".venv" / "npm"
VECTORS = "vectors.npz"
SAMPLES = "samples.npz"
"""Of those that model.toml names; a model without any has no such file."""
_SOUND = ".wav"


def check_web(target: Target) -> None:
    """Raise UsageError for a target that no page runs, ToolError for packages that are missing;
    to clean, nothing is needed."""
    from tinyml_rules.web.bundle import find_emulators  # noqa: PLC0415 - only for this verb
    from tinyml_rules.web.image import emulator_of  # noqa: PLC0415

    if GetOption("clean"):
        return
    emulator_of(target)
    find_emulators(NPM)


def web_page(env: Any, model: Any, firmware: list[Any], file: str) -> list[Any]:
    """The nodes of the page, and of what is said of it.

    `firmware`: its report and its ELF; a model of the zoo has recorded results next to it.
    """
    page = WEB.command(env, file, [*firmware[:2], model])
    folder = ROOT / "models" / env["MANIFEST"].name
    known = [folder / each for each in ("model.toml", VECTORS, SAMPLES)]
    is_ours = bool(env["MANIFEST"].description)
    found = [each for each in known if is_ours and each.is_file()]
    found += [env["SAMPLES"]] * bool(env["SAMPLES"])
    env.Depends(page, [env.fs.File(str(each)) for each in found])
    return [*page, *env.Command("web.shown", page, SHOW_WEB)]


def write_page(target: list[Any], source: list[Any], env: Any) -> None:
    """[report.json, ELF, .tflite] -> the page."""
    from tinyml_rules.frontends.scons.current import current_target  # noqa: PLC0415
    from tinyml_rules.frontends.scons.model import request_of  # noqa: PLC0415
    from tinyml_rules.reporting.read import read_report  # noqa: PLC0415
    from tinyml_rules.system.files import write_files  # noqa: PLC0415
    from tinyml_rules.web.bundle import find_emulators  # noqa: PLC0415
    from tinyml_rules.web.page import live_page  # noqa: PLC0415 - only when there is work

    report = read_report(Path(source[0].abspath))
    request = request_of(source[2], env, name=env["MANIFEST"].name)
    known = known_of(env["MANIFEST"], request, report.interface, env["SAMPLES"])
    text = live_page(
        report, current_target(env), Path(source[1].abspath), known, find_emulators(NPM)
    )
    page = Path(target[0].abspath)
    write_files({page.name: text}, page.parent)


def known_of(manifest: Manifest, request: Any, interface: Any, samples: Path | None) -> Any:
    """What model.toml and the recorded results tell of a model; of one of one's own what the
    reference makes of its samples."""
    from tinyml_rules.web.page import Known  # noqa: PLC0415 - only when there is work
    from tinyml_rules.web.samples import known_results  # noqa: PLC0415

    known = Known(
        labels=manifest.demo.labels,
        reference=manifest.demo.reference,
        names=tuple(each.label for each in manifest.demo.samples),
        is_of_sound=any(each.file.name.endswith(_SOUND) for each in manifest.demo.samples),
        sensor=request.sensor,
    )
    if interface.samples:
        return known  # it hears sound
    if manifest.description and samples is None:
        return replace(known, recorded=recorded_of(manifest))
    outputs = request.sensor.outputs.values() if request.sensor else ()
    labels = next((each.labels for each in outputs if each.labels), known.labels)
    recorded, names, source = known_results(request, interface, samples, labels)
    return replace(known, recorded=recorded, names=names, source=source)


def recorded_of(manifest: Manifest) -> dict[str, Any]:
    """{tensor: samples} of a model of the zoo: those of model.toml first, then the vectors."""
    import numpy as np  # noqa: PLC0415

    from tinyml_rules.runners.arrays import load_arrays  # noqa: PLC0415

    folder = ROOT / "models" / manifest.name
    files = [folder / SAMPLES] * bool(manifest.demo.samples) + [folder / VECTORS]
    parts = [load_arrays(file) for file in files]
    return {name: np.concatenate([part[name] for part in parts]) for name in parts[-1]}


def show_page(target: list[Any], source: list[Any], env: Any) -> None:  # noqa: ARG001
    """Print where it lies, and how large it is."""
    size = Path(source[0].abspath).stat().st_size
    print(f"WEB     {source[0]}: {size:,} bytes; open it in a browser")


WEB = PackageAction(
    write_page,
    "PAGE    $TARGET",
    variables=("TINYML_TARGET", "TINYML_SENSOR", "SAMPLES"),
    files=lambda: package_files("web", "report_page", "system/templates.py"),
)
SHOW_WEB = PackageAction(show_page, None, variables=())
