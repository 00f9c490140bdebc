"""The verbs of `./tinyml` that run tests, `check`, quick or full, `conformance` and `fuzz`; and
`prove`.

Runs before any package is installed.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from requirements.apt import fail, run
from requirements.environment import PYTHON, must_set_up_npm, set_up_python
from requirements.tools import install_tools

QUICK_TARGETS = ("host", "atmega1284p", "nrf52840")
"""Where the quick tests run C: one compiler and one emulator of a small and of a larger part."""
QUICK_PACKAGES = {
    "g++": "g++",
    "objdump": "binutils",
    "make": "make",
    "cmake": "cmake",
    "ninja": "ninja-build",
}
"""Programs that only the tests use, with their packages."""
PROOF_PACKAGES = {"frama-c": "frama-c-base", "why3": "why3", "z3": "z3", "cvc4": "cvc4"}
"""What the verb `prove` proves with, and the test of it."""
FUZZ_PACKAGES = {"clang": "clang", "/usr/share/doc/libclang-rt-dev/copyright": "libclang-rt-dev"}
"""What the verb `fuzz` makes a program of libFuzzer with, for generated C."""
CONFORMANCE_PACKAGES = {"clang": "clang"}
"""What the verb `conformance` compiles most graphs with pairs of options with."""
MISRA_PACKAGES = {"cppcheck": "cppcheck"}
"""What the verb `misra` reads C with, and the test of it."""
FULL_PACKAGES = {
    **QUICK_PACKAGES,
    **PROOF_PACKAGES,
    **MISRA_PACKAGES,
    "ccache": "ccache",
    "clang": "clang",
    "clang-22": "clang-22",
    "simavr": "simavr",
    "arduino-builder": "arduino-builder",
    "/usr/share/arduino/hardware/arduino/avr/cores/arduino/Arduino.h": "arduino-core-avr",
    "/usr/sbin/nginx": "nginx",
    "pg_ctlcluster": "postgresql",
    "bazel": "bazel-bootstrap",
    "npm": "npm",
    "chromium": "chromium",
    "zsh": "zsh",
    "fish": "fish",
    "/usr/bin/cargo": "cargo",
    "/usr/share/doc/librust-cc-dev/copyright": "librust-cc-dev",
    "/usr/share/doc/libstdc++-arm-none-eabi-dev/copyright": "libstdc++-arm-none-eabi-dev",
    "/usr/lib/rustlib/src/rust/library/core/src/lib.rs": "rust-src",
    "/usr/share/bash-completion/bash_completion": "bash-completion",
}
"""The same for all tests, headers and scripts included."""
RANDOM_MODELS = "tests/ops/test_random_models.py"
RANDOM_GRAPHS = "tests/graphs/test_random_graphs.py"
COVERED_OPTIONS = "tests/graphs/test_covered_options.py"
RANDOM_SENSORS = "tests/raw_to_decision/test_random_descriptions.py"
MUTATED_MODELS = "tests/model_file/test_malformed.py"
CONFORMANCE = {
    "operators": "--operators",
    "examples": "--examples",
    "graphs": "--graphs",
    "variants": "--variants",
    "sensors": "--sensors",
    "mutations": "--mutations",
    "seed": "--random-seed",
    "shard": "--shard",
    "target": "--random-target",
}
"""The words of the verb, and pytest's options for them."""
FUZZED = ("reader", "descriptions", "round_trip", "image")
"""What the verb `fuzz` tries."""
FUZZ_WORDS = ("what", "seconds", "runs", "seed")
MANY = "200"
"""Of each kind of random models, where no number is given."""
PYTEST = ("pytest", "--numprocesses=auto", "--dist=worksteal")


def check(arguments: Sequence[str]) -> int:
    """Lint, types and tests; the first that fails ends it.  With `full` as the first word all tests
    run, and everything that they need is installed; without it, the quick ones."""
    is_full = arguments[:1] == ["full"]
    if is_full:
        set_up_everything()
    else:
        set_up_python("check")
        install_tools(QUICK_TARGETS, extra=QUICK_PACKAGES, is_for_tests=True)
    options = [
        f"--models={Path(word.removeprefix('models=')).resolve()}"
        if word.startswith("models=")
        else word
        for word in arguments[1 if is_full else 0 :]
    ]
    steps: tuple[tuple[str, ...], ...] = (
        ("ruff", "check", "."),
        ("ruff", "format", "--check", "."),
        ("mypy",),
        (*PYTEST, *(() if is_full else ("--quick",)), *options),
    )
    for program, *words in steps:
        print(f"== {program} {' '.join(words)}", flush=True)
        status = run([PYTHON, "-m", program, *words])
        if status:
            return status
    return 0


def set_up_everything() -> None:
    """Every package and tool that some test needs."""
    from tinyml_rules.target.target import target_names  # noqa: PLC0415 - wants a new Python

    for name in ("check", "site", "grid", "fuzz"):
        set_up_python(name)
    install_tools(target_names(), extra=FULL_PACKAGES, is_for_tests=True)
    must_set_up_npm(for_tests=True)


def prove(arguments: Sequence[str]) -> int:
    """Proofs of all portable kernels, of some by name, or of one model; or a list of them."""
    first = arguments[0] if arguments else ""
    if first not in ("kernels", "list") and not first.startswith("model="):
        return fail("prove what? expected 'kernels', 'list' or model=NAME")
    set_up_python("check")
    install_tools(["host"], extra=PROOF_PACKAGES)
    return run([PYTHON, "-m", "proofs", *arguments])


def fuzz(arguments: Sequence[str]) -> int:
    """What reads untrusted data, with inputs that a fuzzer finds."""
    try:
        kinds = fuzz_kinds(arguments)
    except ValueError as error:
        return fail(str(error))
    for name in ("check", "fuzz"):
        set_up_python(name)
    install_tools(["host"], extra=FUZZ_PACKAGES if "image" in kinds else {})
    return run([PYTHON, "-m", "tests.fuzz", *arguments])


def fuzz_kinds(arguments: Sequence[str]) -> list[str]:
    """Those that are asked for; raises ValueError for an unknown word, kind or number."""
    values = {}
    for word in arguments:
        name, _, value = word.partition("=")
        if name not in FUZZ_WORDS or not value:
            raise ValueError(f"unknown '{word}', expected {', '.join(FUZZ_WORDS)} and a value")
        if name != "what" and not value.isdecimal():
            raise ValueError(f"'{name}' is '{value}', expected a whole number")
        values[name] = value
    kinds = values.get("what", ",".join(FUZZED)).split(",")
    for kind in kinds:
        if kind not in FUZZED:
            raise ValueError(f"unknown '{kind}', expected one of {', '.join(FUZZED)}")
    return kinds


def conformance(arguments: Sequence[str], targets: Sequence[str]) -> int:
    """The long run of random models: of one operator each, graphs of many, also with pairs of
    options, descriptions of sensors and decisions; all of these where none is named; or of mutated
    copies of models.
    `targets` are those whose tools it needs."""
    try:
        command = conformance_command(arguments)
    except ValueError as error:
        return fail(str(error))
    set_up_python("check")
    install_tools([*targets, "host"], extra=CONFORMANCE_PACKAGES, is_for_tests=True)
    return run([PYTHON, "-m", *PYTEST, *command])


def conformance_command(arguments: Sequence[str]) -> list[str]:
    """Files of tests and their options; raises ValueError for an unknown word."""
    values = {}
    for word in arguments:
        name, equals, value = word.partition("=")
        if name not in CONFORMANCE or not equals or not value:
            raise ValueError(f"unknown '{word}', expected {', '.join(CONFORMANCE)} and a value")
        values[name] = value
    kinds = {
        "examples": (RANDOM_MODELS, {"operators", "examples"}),
        "graphs": (RANDOM_GRAPHS, {"graphs"}),
        "variants": (COVERED_OPTIONS, {"variants"}),
        "sensors": (RANDOM_SENSORS, {"sensors"}),
        "mutations": (MUTATED_MODELS, {"mutations"}),
    }
    named = [kind for kind, (_, words) in kinds.items() if words & set(values)]
    named = named or ["examples", "graphs", "variants", "sensors"]
    files = [kinds[kind][0] for kind in named]
    for kind in named:
        values.setdefault(kind, MANY)
    return [*files, *(f"{CONFORMANCE[name]}={value}" for name, value in values.items())]
