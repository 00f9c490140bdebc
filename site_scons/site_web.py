"""The verb `web`: a page in which the firmware of a model runs, for any browser."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from models.zoo import Manifest
from tinyml_rules.frontends.scons.action import PackageAction
from tinyml_rules.system.sources import package_files
from tinyml_rules.target.target import Target

ROOT = Path(__file__).resolve().parent.parent
NPM = ROOT / ".venv" / "npm"
VECTORS = "vectors.npz"
_SOUND = ".wav"


def check_web(target: Target) -> None:
    """Raise UsageError for a target that no page runs, ToolError for packages that are missing."""
    from tinyml_rules.web.bundle import find_emulators  # noqa: PLC0415 - only for this verb
    from tinyml_rules.web.image import emulator_of  # noqa: PLC0415

    emulator_of(target)
    find_emulators(NPM)


def web_page(env: Any, model: Any, firmware: list[Any], file: str) -> list[Any]:
    """The nodes of the page, and of what is said of it.

    `firmware`: its report and its ELF; beside a model of the zoo lie its recorded results.
    """
    page = WEB.command(env, file, [*firmware[:2], model])
    folder = ROOT / "models" / env["MANIFEST"].name
    known = [folder / "model.toml", folder / VECTORS] if env["MANIFEST"].description else []
    env.Depends(page, [env.fs.File(str(each)) for each in known])
    return [*page, *env.Command("web.shown", page, SHOW_WEB)]


def write_page(target: list[Any], source: list[Any], env: Any) -> None:
    """[report.json, ELF, .tflite] -> the page."""
    from tinyml_rules.frontends.scons.current import current_target  # noqa: PLC0415
    from tinyml_rules.frontends.scons.model import request_of  # noqa: PLC0415
    from tinyml_rules.system.files import write_files  # noqa: PLC0415
    from tinyml_rules.web.bundle import find_emulators  # noqa: PLC0415
    from tinyml_rules.web.page import live_page  # noqa: PLC0415 - only when there is work

    report = json.loads(Path(source[0].abspath).read_text(encoding="utf-8"))
    sensor = request_of(source[2], env, name=env["MANIFEST"].name).sensor
    known = known_of(env["MANIFEST"], sensor)
    text = live_page(
        report, current_target(env), Path(source[1].abspath), known, find_emulators(NPM)
    )
    page = Path(target[0].abspath)
    write_files({page.name: text}, page.parent)


def known_of(manifest: Manifest, sensor: Any) -> Any:
    """What model.toml and the recorded results tell of a model."""
    from tinyml_rules.runners.arrays import load_arrays  # noqa: PLC0415
    from tinyml_rules.web.page import Known  # noqa: PLC0415 - only when there is work

    vectors = ROOT / "models" / manifest.name / VECTORS
    is_ours = bool(manifest.description)
    return Known(
        labels=manifest.demo.labels,
        reference=manifest.demo.reference,
        recorded=load_arrays(vectors) if is_ours else {},
        is_of_sound=any(each.file.name.endswith(_SOUND) for each in manifest.demo.samples),
        sensor=sensor,
    )


def show_page(target: list[Any], source: list[Any], env: Any) -> None:  # noqa: ARG001
    """Print where it lies, and how large it is."""
    size = Path(source[0].abspath).stat().st_size
    print(f"WEB     {source[0]}: {size:,} bytes; open it in a browser")


WEB = PackageAction(
    write_page,
    "PAGE    $TARGET",
    variables=("TINYML_TARGET", "TINYML_SENSOR"),
    files=lambda: package_files("web", "report_page"),
)
SHOW_WEB = PackageAction(show_page, None, variables=())
