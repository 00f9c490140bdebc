"""The verbs of this project's SConstruct: build (default), run, test, wcet, tune, size and flash.

Everything general is in the tool; here is what concerns this repository's models and folders.
`site_nodes` has the table of them and what each makes, `site_shown` what they print, `site_matrix`
and `site_bench` those that are about all models and targets.
"""

from __future__ import annotations

import os
import shlex
import textwrap
from collections.abc import Callable
from pathlib import Path
from typing import Any

from SCons.Script import COMMAND_LINE_TARGETS, GetLaunchDir, GetOption
from site_nodes import VERBS, Build, Verb, run_nodes
from site_project import MODELS, ROOT, SPELLING, obtain_for, or_exit

from models.zoo import Manifest, load_manifest, model_names, own_manifest
from tinyml_rules.commands.parser import documentation
from tinyml_rules.errors import UsageError, did_you_mean
from tinyml_rules.frontends.scons.settings import variable_of
from tinyml_rules.model_file.suffixes import SUFFIXES
from tinyml_rules.request.options import OPTIONS as COMPILATION
from tinyml_rules.target.equipment import RUNNER_COUNTS
from tinyml_rules.target.missing import check_counts, require_tools
from tinyml_rules.target.target import load_target, target_names

OPTIONS = {
    "target": "the target, part or board to build for (default: host)",
    "model": "the model to build, or the path of any .tflite file (default: sine)",
    "models": "a folder that has the models' files, instead of downloading them",
    **{name: option.meaning() for name, option in COMPILATION.items()},
    "profile": "for run: yes shows the cycles or instructions of each node",
    "samples": "for web: a .npz file of inputs with which the page begins, with `labels` of them",
    "port": "for flash: the port of the board, such as /dev/ttyACM0",
}
MATRIX_OPTIONS = {
    "target": "the targets, separated by commas (default: all)",
    "model": "the models, separated by commas (default: all)",
    "models": OPTIONS["models"],
    "docs": "yes: write models/results.json, and what README.md and docs/ show of it",
}
BENCH_OPTIONS = {
    "target": MATRIX_OPTIONS["target"],
    "model": "the models, separated by commas, `layers` for the benchmark set (default: all)",
    "models": OPTIONS["models"],
    "docs": "yes: write what `matrix docs=yes` does and benchmarks/layers.json",
    "record": "yes: write benchmarks/release.json, which later figures are set beside",
}
PAPER_OPTIONS = {
    "models": OPTIONS["models"],
    "docs": "yes: write models/paper.json, and docs/reference/paper.md of it",
}


def settings(arguments: dict[str, str], show_help: Callable[..., None]) -> dict[str, Any]:
    """Construction variables from the command line; ends with an error for what is not known."""
    chosen: dict[str, Any] = or_exit(lambda: _settings(arguments, show_help))
    return chosen


def _settings(arguments: dict[str, str], show_help: Callable[..., None]) -> dict[str, Any]:
    check_words(arguments, tuple(OPTIONS))
    add_help(show_help)
    target = load_target(arguments.get("target", "host"))
    manifest = _manifest(arguments.get("model", "sine"))
    if not (GetOption("clean") or GetOption("help")):
        require_tools(target, for_runs=any(verb.is_run for verb in asked_verbs().values()))
    mirror = arguments.get("models")
    is_profiled = is_yes(arguments, "profile")
    for verb in asked_verbs().values():
        if verb.check is not None:
            verb.check(target)
    if is_profiled and "run" not in COMMAND_LINE_TARGETS:
        raise UsageError.at("scons", "'profile' is yes, expected the verb 'run' with it")
    if is_profiled:
        check_counts(target)
    is_reported = "report" in COMMAND_LINE_TARGETS
    return {
        "PROFILE": is_profiled or (is_reported and bool(RUNNER_COUNTS[target.runner.kind])),
        "TINYML_TARGET": target.name,
        **{variable_of(name): _chosen(arguments, name) for name in COMPILATION},
        "TINYML_SPELLING": SPELLING,
        "MANIFEST": manifest,
        "MIRROR": Path(mirror).resolve() if mirror else None,
        "PORT": arguments.get("port", ""),
        "SAMPLES": Path(GetLaunchDir(), arguments["samples"]) if "samples" in arguments else None,
        "CCCOMSTR": "CC      $TARGET",
        # SCons keeps a path of its own; `require_tools` found the compilers on the user's
        "ENV": {"PATH": os.environ["PATH"]},
    }


def asked_verbs() -> dict[str, Verb]:
    """Those of the command line."""
    return {name: verb for name, verb in VERBS.items() if name in COMMAND_LINE_TARGETS}


def _manifest(word: str) -> Manifest:
    """That of a model of this repository, or of the file at a path from where scons was started.

    Raises UsageError for one that is not there, and where recorded results would be needed.
    """
    path = Path(GetLaunchDir(), word)
    if not (word.endswith(SUFFIXES) or (path.suffix and path.is_file())):
        return load_manifest(MODELS, word)
    from tinyml_rules.request.model_path import existing_model  # noqa: PLC0415 - seldom needed

    path = existing_model(path)
    if "test" in COMMAND_LINE_TARGETS:
        what = "has no recorded results, expected a model of this repository to test"
        command = f"`tinyml_rules test {shlex.quote(word)} --vectors FILE.npz`"
        hint = f"{command} compares with results of your own"
        raise UsageError.at(word, what, hint=hint)
    return own_manifest(path)


def _chosen(arguments: dict[str, str], name: str) -> Any:
    """What an option of a compilation is set to; None where it is not.  A path begins where scons
    was started, as that of a model does.  Raises UsageError."""
    if name not in arguments:
        return None
    option = COMPILATION[name]
    found = option.read(arguments[name])
    if not option.kind.is_path:
        return found
    named = found if option.kind.is_list else [found]
    return [Path(GetLaunchDir(), each) for each in named]


def is_yes(arguments: dict[str, str], name: str) -> bool:
    """Whether a variable is `yes`; UsageError for another word than that or `no`."""
    word = arguments.get(name, "no")
    if word not in ("yes", "no"):
        raise UsageError.at("scons", f"'{name}' is '{word}', expected yes or no")
    return word == "yes"


def check_words(arguments: dict[str, str], known: tuple[str, ...]) -> None:
    """Raise UsageError for an unknown variable or verb; what may be a file is left for SCons."""
    for unknown in (name for name in arguments if name not in known):
        what = f"unknown variable '{unknown}', expected one of {', '.join(known)}"
        raise UsageError.at("scons", what, hint=did_you_mean(unknown, known))
    for word in COMMAND_LINE_TARGETS:
        is_path = word == "build" or Path(GetLaunchDir(), word).exists()
        if word not in VERBS and word.isidentifier() and not is_path:
            what = f"unknown verb '{word}', expected one of {', '.join(VERBS)}"
            raise UsageError.at("scons", what, hint=did_you_mean(word, VERBS))


_NAME_WIDTH = 16
_WIDTH = 100


def _wrapped(text: str) -> list[str]:
    """The meaning of a variable in lines; that of each of its words has lines of its own."""
    first, *words = text.split("\n")
    indent = " " * (_NAME_WIDTH + 3)
    found = textwrap.wrap(first, _WIDTH, initial_indent=indent, subsequent_indent=indent)
    for word in words:
        begin, later = f"{indent}  ", f"{indent}    "
        found += textwrap.wrap(word, _WIDTH, initial_indent=begin, subsequent_indent=later)
    return [found[0].strip(), *found[1:]]


def add_help(show_help: Callable[..., None]) -> None:
    """The help, where it is asked for: it reads every target and every model."""
    if GetOption("help"):
        show_help(help_text())


def help_text() -> str:
    """What `scons -h` shows."""
    models = {name: load_manifest(MODELS, name).description for name in model_names(MODELS)}
    targets = {name: load_target(name).description for name in target_names()}
    parts = (
        ("verbs (without one: build the firmware)", {n: each.meaning for n, each in VERBS.items()}),
        ("variables", {name: text for name, text in OPTIONS.items() if name not in COMPILATION}),
        *_variables_in_groups(),
        ("variables of matrix", MATRIX_OPTIONS),
        ("variables of bench", BENCH_OPTIONS),
        ("variables of paper", PAPER_OPTIONS),
        ("targets", targets),
        ("models", models),
    )
    lines = ["scons [VARIABLE=VALUE ...] [VERB ...]"]
    for title, entries in parts:
        lines += ["", f"{title}:"]
        is_long = title.startswith("variables")
        for name, text in entries.items():
            first, *more = _wrapped(text) if is_long else [text]
            lines += [f"  {name:{_NAME_WIDTH}} {first}", *more]
    lines += ["", "example:", "  scons target=uno model=sine run", "", documentation()]
    return "\n".join(lines) + "\n"


def _variables_in_groups() -> list[tuple[str, dict[str, str]]]:
    """The options of a compilation by heading, as the command line's help has them."""
    groups: dict[str, dict[str, str]] = {}
    for name, option in COMPILATION.items():
        groups.setdefault(f"variables: {option.group}", {})[name] = OPTIONS[name]
    return list(groups.items())


def add_verbs(env: Any) -> None:
    """Everything that can be asked for on the command line."""
    if GetOption("help"):
        return
    (ROOT / "build").mkdir(exist_ok=True)
    env.SConsignFile("build/.sconsign")
    manifest: Manifest = env["MANIFEST"]
    model = env.fs.File(str(or_exit(lambda: obtain_for(env, manifest.model))))
    own = "" if manifest.description else "own/"  # beside a model of the same name from here
    folder = f"build/{env['TINYML_TARGET']}/{own}{manifest.name}"
    if "compile_commands" in COMMAND_LINE_TARGETS:
        env.Tool("compilation_db")
    env["TINYML_NAME"] = manifest.name
    run = None
    if {"run", "report"}.intersection(COMMAND_LINE_TARGETS):
        run = run_nodes(env, manifest, model, folder)
    firmware = env.TinymlFirmware(model, folder, run=run)
    env.Default(firmware)
    page = env.TinymlReport(f"{folder}/{manifest.name}.html", firmware)
    build = Build(env, model, folder, firmware, page, run)
    for name, verb in asked_verbs().items():
        if verb.nodes is not None:
            env.Alias(name, verb.nodes(build))
    env.AlwaysBuild([env.Alias(name) for name in VERBS])


__all__ = ["add_verbs", "settings"]
