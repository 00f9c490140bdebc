"""The actions of the builders: each stage is a function from files to files, as in the command
line."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tinyml_rules.firmware.image import Image, Kind
from tinyml_rules.firmware.support import support_sources, weights_file, weights_source
from tinyml_rules.frontends.scons.action import (
    FiguresAction,
    PackageAction,
    firmware_files,
    format_files,
    profile_files,
    runner_files,
)
from tinyml_rules.frontends.scons.current import current_target
from tinyml_rules.frontends.scons.model import model_name, request_of
from tinyml_rules.frontends.scons.place import write_json, write_node
from tinyml_rules.frontends.scons.reports import read_figures, report_in
from tinyml_rules.frontends.scons.settings import MODEL_VARIABLES
from tinyml_rules.target.target import Target

if TYPE_CHECKING:
    from tinyml_rules.ir.graph import Array
    from tinyml_rules.reporting.firmware import Profile, Run
    from tinyml_rules.runners.linked import Linked

RUNNER_CACHE = Path("build/.runners")


def support_files(target: Target, kind: str, *, is_external: bool) -> tuple[Path, ...]:
    """The C files that an image of a kind needs in addition to the model and main()."""
    files = support_sources(target, kind=_kind(kind))
    reader = [weights_source(target, kind=_kind(kind))] if is_external else []
    return (*files, *reader)


def _kind(word: str) -> Kind:
    return "test" if word == "test" else "minimal"


def write_main(target: list[Any], source: list[Any], env: Any) -> None:
    """<name>.model.json -> the C file with main()."""
    from tinyml_rules.firmware.build import render_main  # noqa: PLC0415 - only when there is work

    text = render_main(report_in(source[0]).interface, kind=_kind(env["TINYML_KIND"]))
    write_node(target[0], text)


def link_image(target: list[Any], source: list[Any], env: Any) -> str:
    """Objects, and last model.json -> ELF, map and size.json; a firmware that does not fit leaves
    no files.  Returns its figures."""
    from tinyml_rules.firmware import build  # noqa: PLC0415 - only when there is work
    from tinyml_rules.firmware.measure import check_fits, measure_image  # noqa: PLC0415
    from tinyml_rules.fitting.ways import explained  # noqa: PLC0415
    from tinyml_rules.reporting.budgets import budgets_of, check_linked  # noqa: PLC0415
    from tinyml_rules.reporting.record import to_json  # noqa: PLC0415
    from tinyml_rules.reporting.sizes import image_figures  # noqa: PLC0415
    from tinyml_rules.runners.figures import describe_size  # noqa: PLC0415

    part = current_target(env)
    model = source[0].sources[0].sources[0]  # of the object, of its C
    image = _image(target, source, env)
    try:
        with explained(lambda: request_of(model, env, name=image.name)):
            build.link_image(part, image)
            size = measure_image(part, image)
            check_fits(part, size, where=image.name, kind=image.kind)
            figures = describe_size(size, part)
            if image.kind == "minimal":
                check_linked(figures, budgets_of(report_in(source[-1])), where=image.name)
    except Exception:
        image.elf.unlink(missing_ok=True)
        raise
    write_json(target[2], to_json(figures))
    return image_figures(figures)


def _image(target: list[Any], source: list[Any], env: Any) -> Image:
    paths = [Path(node.path) for node in source if node.name.endswith(".o")]
    interface, kind = report_in(source[-1]).interface, _kind(env["TINYML_KIND"])
    return Image(
        name=paths[0].stem,
        invoke_symbol=interface.outermost if kind == "minimal" else interface.entry,
        kind=kind,
        elf=Path(target[0].path),
        map_file=Path(target[1].path),
        objects=tuple(paths),
        model_objects=(paths[0],),
    )


def convert_image(target: list[Any], source: list[Any], env: Any) -> None:
    """ELF -> the file that a programmer writes to the part."""
    from tinyml_rules.firmware.board import program_format  # noqa: PLC0415
    from tinyml_rules.firmware.formats.esp8266 import elf_to_esp8266  # noqa: PLC0415 - only when there is work
    from tinyml_rules.firmware.formats.uf2 import elf_to_uf2  # noqa: PLC0415
    from tinyml_rules.system.process import run_tool  # noqa: PLC0415

    part, elf, output = current_target(env), Path(source[0].path), Path(target[0].path)
    file_format = program_format(part)
    if file_format == "esp8266":
        write_node(target[0], elf_to_esp8266(elf))
        return
    if file_format == "uf2":
        assert part.programmer is not None, "nothing else asks for this format"
        write_node(target[0], elf_to_uf2(elf, family=part.programmer.family))
        return
    output_format = "ihex" if file_format == "hex" else "binary"
    command = part.toolchain.objcopy_command(elf, output, output_format=output_format)
    run_tool(command, where=output.name)


def _linked(source: list[Any], env: Any) -> Linked:
    """The image of [ELF, model.json, ...]."""
    from tinyml_rules.runners.linked import Linked  # noqa: PLC0415 - only when there is work

    interface = report_in(source[1]).interface
    weights = weights_file(Path(source[1].abspath).parent, interface)
    return Linked(current_target(env), interface, Path(source[0].path), weights)


def run_image_on_target(target: list[Any], source: list[Any], env: Any) -> str:
    """[ELF, model.json, samples] -> run.json and outputs.npz; nothing where a budget is broken.
    Returns what has judged that of cycles."""
    from tinyml_rules.reporting.budgets import budgets_of, check_run  # noqa: PLC0415 - only when there is work
    from tinyml_rules.reporting.record import to_json  # noqa: PLC0415
    from tinyml_rules.runners.arrays import read_arrays, write_arrays  # noqa: PLC0415
    from tinyml_rules.runners.linked import run_linked  # noqa: PLC0415

    linked = _linked(source, env)
    inputs = read_arrays(Path(source[2].abspath), linked.interface)
    where = source[2].name
    outputs, figures = run_linked(linked, inputs, where=where, cache=RUNNER_CACHE)

    def profiled() -> Profile:
        return _profile(_model_of(source[0]), env, Ran(inputs, outputs, figures, where))

    budgets = budgets_of(report_in(source[1]))
    check_run(figures, budgets, where=linked.interface.name, profiled=profiled)
    judged = _judged(_model_of(source[0]), env)
    write_arrays(Path(target[1].abspath), outputs)
    write_json(target[0], {} if figures is None else to_json(figures))
    return judged


def profile_on_target(target: list[Any], source: list[Any], env: Any) -> None:
    """[run.json, outputs.npz, samples, .tflite, model.json] -> profile.json, trace.json: the run by
    node."""
    import numpy as np  # noqa: PLC0415 - only when there is work

    from tinyml_rules.reporting.firmware import Run  # noqa: PLC0415
    from tinyml_rules.reporting.record import from_json, to_json  # noqa: PLC0415
    from tinyml_rules.runners.arrays import read_arrays  # noqa: PLC0415

    figures, interface = from_json(Run, read_figures(source[0])), report_in(source[4]).interface
    inputs = read_arrays(Path(source[2].abspath), interface)
    with np.load(source[1].abspath, allow_pickle=False) as outputs:
        given = dict(outputs)
    run = Ran(inputs, given, figures, source[2].name)
    profile = _profile(source[3], env, run, trace=Path(target[1].abspath))
    write_json(target[0], {"profile": to_json(profile)})


@dataclass(frozen=True)
class Ran:
    """What went in and came out; `where`: what an error in the inputs names."""

    inputs: Mapping[str, Array]
    outputs: Mapping[str, Array]
    figures: Run | None
    where: str


def _profile(model: Any, env: Any, run: Ran, *, trace: Path | None = None) -> Profile:
    """By node, what a run of a .tflite file takes."""
    from tinyml_rules.compiler import compile_model  # noqa: PLC0415 - only when there is work
    from tinyml_rules.runners.profile import profile_on_arrays  # noqa: PLC0415

    request = request_of(model, env, name=model_name(model, env))
    return profile_on_arrays(
        compile_model(replace(request, marked=True)),
        current_target(env),
        run.inputs,
        where=run.where,
        expected=run.outputs,
        run=run.figures,
        cache=RUNNER_CACHE,
        trace=trace,
    )


def _model_of(elf: Any) -> Any:
    """The .tflite file of an image: its first object is that of the model's C."""
    return elf.sources[0].sources[0].sources[0]


def _judged(model: Any, env: Any) -> str:
    """What has judged the budget of cycles of a .tflite file, if it has one."""
    from tinyml_rules.worst_case.budget import check_every_run  # noqa: PLC0415 - only when there is work

    return check_every_run(request_of(model, env, name=model_name(model, env)))


def test_image_on_target(target: list[Any], source: list[Any], env: Any) -> str:
    """[ELF, model.json, vectors] -> a stamp, if every output byte is as expected.  Returns what has
    judged the budget of cycles."""
    from tinyml_rules.reporting.budgets import budgets_of  # noqa: PLC0415 - only when there is work
    from tinyml_rules.runners.arrays import read_vectors  # noqa: PLC0415 - only when there is work
    from tinyml_rules.runners.linked import check_linked  # noqa: PLC0415

    linked = _linked(source, env)
    vectors = read_vectors(Path(source[2].abspath), linked.interface)
    where = source[2].name

    def profiled(outputs: dict[str, Array], figures: Run | None) -> Profile:
        return _profile(_model_of(source[0]), env, Ran(vectors, outputs, figures, where))

    text = check_linked(
        linked,
        vectors,
        where=where,
        cache=RUNNER_CACHE,
        budgets=budgets_of(report_in(source[1])),
        profiled=profiled,
    )
    judged = _judged(_model_of(source[0]), env)
    write_node(target[0], "".join(f"{line}\n" for line in (text, judged) if line))
    return judged


_WORDS = ("TINYML_TARGET", "TINYML_KIND", "TINYML_PUSH_ROWS")

MAIN = PackageAction(
    write_main, "$TINYML_MAINCOMSTR", variables=("TINYML_KIND",), files=firmware_files
)
LINK = FiguresAction(link_image, "$TINYML_LINKCOMSTR", variables=_WORDS, files=firmware_files)
OBJCOPY = PackageAction(
    convert_image, "$TINYML_OBJCOPYCOMSTR", variables=("TINYML_TARGET",), files=format_files
)
RUN = FiguresAction(
    run_image_on_target, "$TINYML_RUNCOMSTR", variables=("TINYML_TARGET",), files=runner_files
)
PROFILE = PackageAction(
    profile_on_target,
    "$TINYML_RUNCOMSTR",
    variables=MODEL_VARIABLES,
    files=profile_files,
)
TEST = FiguresAction(
    test_image_on_target, "$TINYML_TESTCOMSTR", variables=("TINYML_TARGET",), files=runner_files
)
