"""Builders around a model: the minimal firmware, its report, and a test on the target's runner."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tinyml_rules.firmware.board import program_suffix
from tinyml_rules.firmware.support import read_ahead
from tinyml_rules.frontends.scons import reports as report_stages
from tinyml_rules.frontends.scons import stages
from tinyml_rules.frontends.scons.accuracy import accuracy_of
from tinyml_rules.frontends.scons.current import read_target
from tinyml_rules.frontends.scons.library import compiled_model, with_settings
from tinyml_rules.frontends.scons.place import check_own, common_folder
from tinyml_rules.frontends.scons.toolchain import image_object, link_nodes
from tinyml_rules.model_file.suffixes import SUFFIXES
from tinyml_rules.request.outputs import output_suffixes


def tinyml_firmware(
    env: Any, model: Any, folder: Any = None, run: Any = None, **settings: Any
) -> Any:
    """Build the minimal firmware of `model`: ELF, map, program file and <name>.report.json.

    `run`: nodes of a run (see `run_samples` and `profile_samples`) whose figures the report is to
    have as well.
    `settings` are those of this firmware alone.
    """
    own = with_settings(env, settings)
    compiled = compiled_model(env, model, folder, is_alone=True, **settings)
    name = Path(compiled[0].name).stem
    where = compiled[0].dir
    support = _support_folder(own, folder)
    outputs = (f"{name}.elf", f"{name}.map")
    image = _link(own, compiled, kind="minimal", outputs=outputs, support=support)
    program = []
    part = read_target(own)
    suffix = program_suffix(part)
    if suffix not in ("", "elf"):
        program = stages.OBJCOPY.command(own, where.File(f"{name}.{suffix}"), image[0])
        own.Depends(program, link_nodes(own, part))  # UF2 holds the family of target.toml
    report = report_stages.REPORT.command(
        own,
        where.File(f"{name}.report.json"),
        [
            *(compiled[2], image[2], *accuracy_of(compiled)),
            *(node for node in run or () if node.name.endswith(".json")),
        ],
    )
    return [*report, image[0], image[1], *program]


def tinyml_report(env: Any, name: Any, models: Any, **settings: Any) -> Any:
    """The sizes of models: `name` ends in .html for a page, in .md, .txt or .json for a table.

    `models`: files of models, of which the minimal firmware is built, and what TinymlFirmware
    returned for others.
    """
    reports = []
    for source in env.Flatten([models]):
        if str(source).endswith(SUFFIXES):
            reports += tinyml_firmware(env, source, **settings)[:1]
        elif str(source).endswith(".report.json"):
            reports.append(source)
    return report_stages.TABLE.command(env, name, reports)


def run_samples(env: Any, model: Any, samples: Any, folder: Any = None) -> Any:
    """Run `model` on the inputs of the .npz file `samples`: the nodes of <name>.run.json, with
    the figures, and <name>.outputs.npz."""
    compiled, elf = _test_image(env, model, folder)
    name = Path(compiled[0].name).stem
    where = compiled[0].dir
    outputs = [where.File(f"{name}.run.json"), where.File(f"{name}.outputs.npz")]
    return stages.RUN.command(env, outputs, [elf, compiled[2], samples, *compiled[4:]])


def profile_samples(env: Any, model: Any, samples: Any, run: Any) -> Any:
    """The cost of each node in a run of `model` on `samples`: the SCons node of
    <name>.profile.json, with <name>.trace.json next to it; `run`: what `run_samples` returned for
    the same."""
    name = run[0].name.removesuffix(".run.json")
    outputs = [run[0].dir.File(f"{name}.{kind}.json") for kind in ("profile", "trace")]
    figures = run[0].sources[1]
    nodes = stages.PROFILE.command(env, outputs, [*run[:2], samples, model, figures])
    env.Depends(nodes, run[0].sources[0])  # the image is another one where any setting is
    return nodes[:1]


def tinyml_test(
    env: Any, name: str, model: Any, vectors: Any, folder: Any = None, **settings: Any
) -> Any:
    """Run `model` on the target's runner and compare with `vectors`, a .npz file of inputs and
    expected outputs by tensor name; the node <name>.passed appears if every byte is equal."""
    own = with_settings(env, settings)
    compiled, elf = _test_image(own, model, folder)
    passed = compiled[0].dir.File(f"{name}.passed")
    return stages.TEST.command(own, passed, [elf, compiled[2], vectors, *compiled[4:]])


def _test_image(env: Any, model: Any, folder: Any) -> tuple[Any, Any]:
    compiled = compiled_model(env, model, folder, is_alone=True)
    name = Path(compiled[0].name).stem
    outputs = (f"{name}_test.elf", f"{name}_test.map")
    support = _support_folder(env, folder)
    return compiled, _link(env, compiled, kind="test", outputs=outputs, support=support)[0]


def _support_folder(env: Any, folder: Any) -> Any:
    """The folder of objects that are the same for all images of a part."""
    return common_folder(env, folder).Dir("support")


def _link(env: Any, compiled: Any, *, kind: str, outputs: tuple[str, str], support: Any) -> Any:
    """The nodes of the linked image of a kind: ELF, map and size.json."""
    target = read_target(env)
    source, _, figures = compiled[:3]
    where = source.dir
    check_own([where.File(f"{kind}_main.c")])
    main = stages.MAIN.command(env, where.File(f"{kind}_main.c"), figures, TINYML_KIND=kind)
    is_external = len(compiled) > len(output_suffixes({}))
    needed = stages.support_files(target, kind, is_external=is_external)
    flags, headers = read_ahead(target) if is_external else ([], [])
    include = [where, *(env.fs.Dir(str(each)) for each in headers)]
    own = [
        image_object(env, file, where.Dir("objects"), include=include, more=flags)
        for file in (source, *main)
    ]
    shared = [image_object(env, env.fs.File(str(file)), support) for file in needed]
    nodes = [where.File(output) for output in (*outputs, f"{kind}.size.json")]
    image = stages.LINK.command(env, nodes, [*own, *shared, figures], TINYML_KIND=kind)
    env.Depends(image, link_nodes(env, target))
    return image
