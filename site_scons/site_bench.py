"""The verb `bench`: the pairs of `matrix` and the benchmark set, beside the last release and TFLM.

The set is one file of one action for each target, whose layers run one after the other.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from SCons.Script import GetOption
from site_matrix import (
    RESULTS,
    check_whole,
    matrix_files,
    pairs_of,
    refuse_errors,
    rows_of_node,
    settings_of_pairs,
    shown_of,
    word_list,
)
from site_project import MODELS, ROOT, or_exit
from site_verbs import BENCH_OPTIONS, add_help

from models.zoo import matrix_models
from tinyml_rules.frontends.scons.action import PackageAction
from tinyml_rules.system.sources import files_below
from tinyml_rules.target.missing import missing_tools
from tinyml_rules.target.target import load_target

SET = "layers"
"""Among the models: the benchmark set."""
LAYERS = ROOT / "benchmarks" / "layers.json"
RELEASE = ROOT / "benchmarks" / "release.json"
TFLM = MODELS / "tflm.json"


def settings(arguments: dict[str, str], show_help: Callable[..., None]) -> dict[str, Any]:
    """Construction variables from the command line; ends with an error for what is not known."""
    chosen: dict[str, Any] = or_exit(lambda: _settings(arguments, show_help))
    return chosen


def _settings(arguments: dict[str, str], show_help: Callable[..., None]) -> dict[str, Any]:
    written = check_whole(arguments, "bench", BENCH_OPTIONS, writes=("docs", "record"))
    add_help(show_help)
    models = word_list(arguments.get("model"), [*matrix_models(MODELS), SET])
    return {
        **settings_of_pairs(arguments, [name for name in models if name != SET]),
        "BENCH_SET": SET in models,
        "BENCH_WRITES": written,
    }


def add_verbs(env: Any) -> None:
    """The pairs and the sets, and the tables of both."""
    if GetOption("help"):
        return
    (ROOT / "build").mkdir(exist_ok=True)
    env.SConsignFile("build/.sconsign")
    pairs = or_exit(lambda: pairs_of(env))
    sets = _sets(env) if env["BENCH_SET"] else []
    names = ["build/bench.txt", "build/bench_layers.json", "build/bench_matrix.json"]
    tables = env.Command(names, [*pairs, *sets], TABLES, BENCH_PAIRS=len(pairs))
    env.Depends(tables, shown_of(env, pairs))
    env.AlwaysBuild(tables)
    env.NoCache(tables)
    env.Alias("bench", tables)


def _sets(env: Any) -> list[Any]:
    """A node for each target that the set is for and whose tools are here."""
    from benchmarks.layer_figures import TARGETS  # noqa: PLC0415 - not for the other verbs
    from benchmarks.matrix import compiler_of  # noqa: PLC0415

    nodes = []
    for target in env["MATRIX_TARGETS"]:
        if target.name not in TARGETS or missing_tools(target):
            continue
        node = MEASURE.command(
            env,
            f"build/{target.name}/layers.json",
            [],
            TINYML_TARGET=target.name,
            MATRIX_COMPILER="" if GetOption("clean") else compiler_of(target),
        )
        files = [file for folder in target.folders for file in folder.iterdir()]
        env.Depends(node, sorted(str(file) for file in files if file.suffix != ".md"))
        nodes += node
    return nodes


def measure_set(target: list[Any], source: list[Any], env: Any) -> None:  # noqa: ARG001
    """The layers on one target -> their rows."""
    from benchmarks.layer_figures import layers_json, measure_layers  # noqa: PLC0415

    part = load_target(env["TINYML_TARGET"])
    with tempfile.TemporaryDirectory(prefix="tinyml-") as folder:
        rows = measure_layers(part, folder=Path(folder))
    Path(target[0].abspath).write_text(layers_json(rows), encoding="utf-8")
    print(f"{len(rows)} layers on {part.name}", flush=True)


def write_tables(target: list[Any], source: list[Any], env: Any) -> None:
    """Pairs, then sets -> the tables as text, and the rows of both; an error if one of them is."""
    from benchmarks.bench import bench_text  # noqa: PLC0415
    from benchmarks.layer_figures import layers_json, layers_of  # noqa: PLC0415
    from benchmarks.release import release_of  # noqa: PLC0415
    from benchmarks.results import json_text  # noqa: PLC0415
    from benchmarks.tflm import references_of  # noqa: PLC0415

    count = env["BENCH_PAIRS"]
    pairs = {node: rows_of_node(node) for node in source[:count]}
    rows = [row for pair in pairs.values() for row in pair]
    layers = [
        row for node in source[count:] for row in layers_of(Path(node.abspath).read_text("utf-8"))
    ]
    release = release_of(RELEASE.read_text("utf-8"))
    text = bench_text(rows, layers, release, references_of(TFLM.read_text("utf-8")))
    texts = (text, layers_json(layers), json_text(rows))
    for node, each in zip(target, texts, strict=True):
        Path(node.abspath).write_text(each, encoding="utf-8")
    print(f"\n{text}", end="", flush=True)
    refuse_errors(pairs, verb="bench")
    _write(env["BENCH_WRITES"], rows, layers)


def _write(written: list[str], rows: list[Any], layers: list[Any]) -> None:
    """What the options ask for, in the repository."""
    from benchmarks.layer_figures import layers_json  # noqa: PLC0415
    from benchmarks.release import Release, release_json  # noqa: PLC0415
    from benchmarks.results import json_text  # noqa: PLC0415
    from tinyml_rules import __version__  # noqa: PLC0415

    if "record" in written:
        RELEASE.write_text(release_json(Release(__version__, rows, layers)), encoding="utf-8")
    if "docs" in written:
        from generate.files import write_generated  # noqa: PLC0415 - what `check` installs

        LAYERS.write_text(layers_json(layers), encoding="utf-8")
        RESULTS.write_text(json_text(rows), encoding="utf-8")
        write_generated(ROOT)


def set_files() -> tuple[str, ...]:
    """The files that decide what is measured of the set."""
    support = (
        *("combined.py", "combined_main.c.j2", "images.py"),
        *("operator_cases.py", "stages.py", "chained.py"),
    )
    own = files_below(
        ROOT,
        *("benchmarks/layers.py", "benchmarks/layer_figures.py"),
        *(f"tests/support/{name}" for name in support),
    )
    return tuple(sorted({*matrix_files(), *own}))


MEASURE = PackageAction(
    measure_set, None, variables=("TINYML_TARGET", "MATRIX_COMPILER"), files=set_files
)
TABLES = PackageAction(write_tables, None, variables=("BENCH_PAIRS", "BENCH_WRITES"))

__all__ = ["add_verbs", "settings"]
