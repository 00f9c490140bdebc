"""The verb `paper`: the tables of the MicroFlow paper next to the same models here.

Its pairs are those of `matrix` for the five parts, and the paper's own sine on each; accuracy is
one node, measured on this computer with TFLM's interpreter next to it.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

from SCons.Script import GetOption
from site_matrix import (
    Measured,
    check_whole,
    matrix_files,
    pairs_of,
    pairs_of_target,
    refuse_errors,
    rows_of_node,
    settings_of_pairs,
    shown_of,
)
from site_project import DOWNLOADS, MODELS, ROOT, obtain_for, or_exit
from site_verbs import PAPER_OPTIONS, add_help

from models.zoo import load_manifest
from tinyml_rules.frontends.scons.action import PackageAction
from tinyml_rules.system.sources import files_below

FOLDER = ROOT / "benchmarks" / "paper"
RESULTS = MODELS / "paper.json"


def settings(arguments: dict[str, str], show_help: Callable[..., None]) -> dict[str, Any]:
    """Construction variables from the command line; ends with an error for what is not known."""
    chosen: dict[str, Any] = or_exit(lambda: _settings(arguments, show_help))
    return chosen


def _settings(arguments: dict[str, str], show_help: Callable[..., None]) -> dict[str, Any]:
    from benchmarks.paper.published import PARTS, PERSON, SPEECH  # noqa: PLC0415

    written = check_whole(arguments, "paper", PAPER_OPTIONS, writes=("docs",))
    add_help(show_help)
    targets = ",".join(part.target for part in PARTS)
    chosen = settings_of_pairs({**arguments, "target": targets}, [SPEECH, PERSON])
    return {**chosen, "PAPER_DOCS": bool(written)}


def add_verbs(env: Any) -> None:
    """The pairs, the accuracy, and the tables of both."""
    if GetOption("help"):
        return
    from benchmarks.paper.published import PERSON, SPEECH  # noqa: PLC0415 - not for other verbs
    from benchmarks.paper.results import SINE_OF_PAPER  # noqa: PLC0415
    from models.keyword_synthetic.features import PREPROCESSOR  # noqa: PLC0415

    (ROOT / "build").mkdir(exist_ok=True)
    env.SConsignFile("build/.sconsign")
    sine = Measured(SINE_OF_PAPER, str(FOLDER / "sine.tflite"), str(FOLDER / "sine.npz"))
    pairs = [
        *(
            node
            for target in env["MATRIX_TARGETS"]
            for node in pairs_of_target(env, target, [sine])
        ),
        *or_exit(lambda: pairs_of(env)),
    ]
    models = or_exit(lambda: [_model_of(env, name) for name in ("sine", SPEECH, PERSON)])
    or_exit(lambda: obtain_for(env, PREPROCESSOR))
    measured = ["build/paper_accuracy.json", "build/paper_words.npz"]
    accuracy = ACCURACY.command(env, measured, [sine.file, *models])
    names = ["build/paper.json", "build/paper.txt"]
    tables = env.Command(names, [*accuracy, *pairs], TABLES)
    env.Depends(tables, shown_of(env, pairs))
    env.AlwaysBuild(tables)
    env.NoCache(tables)
    env.Alias("paper", tables)


def _model_of(env: Any, name: str) -> str:
    return str(obtain_for(env, load_manifest(MODELS, name).model))


def measure_accuracy(target: list[Any], source: list[Any], env: Any) -> None:
    """[the paper's sine, ours, speech, person_detect] -> their accuracy."""
    from benchmarks.paper.measure import classifiers, sine_errors  # noqa: PLC0415
    from benchmarks.paper.results import SINE_OF_PAPER, Figures, figures_json  # noqa: PLC0415

    theirs, ours, speech, person = (Path(node.abspath).read_bytes() for node in source)
    sines = [*sine_errors(SINE_OF_PAPER, theirs), *sine_errors("sine", ours)]
    kept = Path(target[1].abspath)
    answers = classifiers(speech, person, mirror=env["MIRROR"], cache=DOWNLOADS, kept=kept)
    text = figures_json(Figures(sines, answers, ()))
    Path(target[0].abspath).write_text(text, encoding="utf-8")


def write_tables(target: list[Any], source: list[Any], env: Any) -> None:
    """Accuracy, some words, then pairs -> the file of figures, and the tables as text."""
    from benchmarks.paper.results import (  # noqa: PLC0415
        SINE_OF_PAPER,
        Figures,
        figures_json,
        figures_of,
        tables_text,
    )

    found = figures_of(Path(source[0].abspath).read_text("utf-8"))
    pairs = {node: rows_of_node(node) for node in source[2:]}
    rows = [row for pair in pairs.values() for row in pair]
    of_paper = [row for row in rows if row.model == SINE_OF_PAPER]
    figures = Figures(found.sines, found.answers, of_paper)
    texts = (figures_json(figures), tables_text(figures, rows))
    for node, text in zip(target, texts, strict=True):
        Path(node.abspath).write_text(text, encoding="utf-8")
    print(f"\n{texts[1]}", end="", flush=True)
    refuse_errors(pairs, verb="paper")
    if env["PAPER_DOCS"]:
        from generate.files import write_generated  # noqa: PLC0415 - what `check` installs

        RESULTS.write_text(texts[0], encoding="utf-8")
        shutil.copyfile(source[1].abspath, FOLDER / "words.npz")
        write_generated(ROOT)


def accuracy_files() -> tuple[str, ...]:
    """The files that decide what is measured."""
    own = files_below(
        ROOT,
        *("benchmarks/paper/data.py", "benchmarks/paper/measure.py", "benchmarks/paper/scores.py"),
        *("models/keyword_synthetic/features.py", "models/keyword_synthetic/voices.py"),
        "tests/support/tflm.py",
    )
    return tuple(sorted({*matrix_files(), *own}))


ACCURACY = PackageAction(
    measure_accuracy, "ACCURACY $TARGET", variables=("MIRROR",), files=accuracy_files
)
TABLES = PackageAction(write_tables, None, variables=("PAPER_DOCS",))

__all__ = ["add_verbs", "settings"]
