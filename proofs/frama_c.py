"""Frama-C as a function: C text to goals."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from tempfile import TemporaryFile

from tinyml_rules.errors import ToolError
from tinyml_rules.system.user_folder import user_cache

PROVERS = ("cvc4", "z3")
STEPS = 600_000
"""Of a prover for a goal: the same on every machine, and about twenty seconds of CVC4."""
TIMEOUT_S = 120
_ASM = "-D'__asm__(...)='"
"""Inline assembly of portable C has no instructions (`has_instructions`): it only keeps compilers
from what they would do, and leaves values as they are."""
_COMMON = ("-machdep", "gcc_x86_64", "-warn-signed-overflow", "-warn-special-float", "none")
_WP_ALONE = ("-no-autoload-plugins", "-load-module=rtegen,wp")
"""Loading nothing else saves about a tenth of the CPU time."""
_ALL = ()
"""Where EVA has annotations of its own, which WP then passes over."""
_MEMORY = "s=16M,o=400"
"""Of OCaml's garbage collector: words for young objects, and how much is left to it."""
_GOAL = re.compile(r"^\[wp\] \[[^]]*\] Goal (?:typed_(?:real_)?)?(\w+)(.*)$", re.MULTILINE)
_TIME = re.compile(r"\((?:Qed:)?([\d.]+)(m?)s\)")
_TOTAL = re.compile(r"^\[wp\] Proved goals: +(\d+) / (\d+)$", re.MULTILINE)
_ENDLESS = re.compile(r"at end of function main:\n +NON TERMINATING")
_PROPERTIES = re.compile(
    r"^--- Properties of Function '(\w+)'\n-+\n((?:(?!---).*\n)*)", re.MULTILINE
)
_STATUS = re.compile(r"^\[ *(\S+) *\] (.*)$", re.MULTILINE)
_ALARM = re.compile(r"^\[eva:alarm\] (.*)$", re.MULTILINE)
TAKEN = "taken"
"""The name of an assertion that EVA takes, and WP proves."""
_TAKEN = f"assertion '{TAKEN}' got status unknown."


@dataclass(frozen=True)
class Proof:
    """What was to be proved, what stays open, and the CPU time that it took."""

    goals: tuple[str, ...]
    opened: tuple[str, ...]
    seconds: float

    @property
    def proved(self) -> int:
        return len(self.goals) - len(self.opened)


@cache
def has_instructions(text: str) -> bool:
    """Whether some inline assembly that C text has for the processor that Frama-C takes it for is
    more than a blank."""
    command = ["gcc", "-E", "-P", "-"]
    alone = re.sub(r"^#include .*$", "", text, flags=re.MULTILINE)
    done = subprocess.run(command, input=alone, capture_output=True, text=True, check=True)
    texts = re.findall(r'__asm__[^("]*\(\s*"((?:[^"\\]|\\n)*)"', done.stdout)
    return any(each.replace("\\n", "").strip() for each in texts)


def prove_results(file: Path, functions: Sequence[str]) -> Mapping[str, Proof]:
    """{function: its goals} where nothing goes wrong in it, which is EVA's to show: that there is
    no access or sum outside, and that what it calls gets what its contract says."""
    return _wp(file, ["-wp-fct", ",".join(functions), "-wp-prop=-@requires"], functions, _ALL)


def prove(file: Path, functions: Sequence[str], *, only: str = "") -> Mapping[str, Proof]:
    """{function: its goals}, of functions none of whose names begins with that of another one: by
    CVC4, and what it leaves open by Z3.  Values of float are taken for real numbers, on which no
    access depends.  `only` names a kind of goals, such as mem_access."""
    asked = ["-wp-rte", "-wp-fct", ",".join(functions), *([f"-wp-prop={only}"] if only else [])]
    return _wp(file, asked, functions)


def prove_lemmas(file: Path, names: Sequence[str]) -> Mapping[str, Proof]:
    """{lemma: its goal}."""
    return _wp(file, ["-wp-prop=@lemma"], [f"lemma_{name}" for name in names])


def _wp(
    file: Path, more: Sequence[str], owners: Sequence[str], plugins: Sequence[str] = _WP_ALONE
) -> Mapping[str, Proof]:
    """Of what goals are named after."""
    options = [*plugins, "-wp", "-wp-cache", "none", "-wp-no-init-const", "-wp-no-pruning"]
    options += ["-wp-model", "Typed+real", "-wp-prover", ",".join(PROVERS), "-wp-par", "1"]
    options += ["-wp-steps", str(STEPS), "-wp-timeout", str(TIMEOUT_S)]
    text, seconds = _run([*_COMMON, *options, *more, str(file)])
    goals = _GOAL.findall(text)
    total = _TOTAL.search(text)
    proved = sum(_is_proved(rest) for _, rest in goals)
    if total is None or (int(total[1]), int(total[2])) != (proved, len(goals)):
        raise ToolError.at("frama-c", f"did not tell of all goals:\n{text[-2000:]}")
    whole = sum(_weight(rest) for _, rest in goals)
    each = {
        owner: [
            (name.removeprefix(f"{owner}_"), rest)
            for name, rest in goals
            if name == owner or name.startswith(f"{owner}_")
        ]
        for owner in owners
    }
    assert sum(map(len, each.values())) == len(goals), "a goal of none of the functions, or of two"
    return {
        owner: Proof(
            tuple(name for name, _ in found),
            tuple(name for name, rest in found if not _is_proved(rest)),
            seconds * sum(_weight(rest) for _, rest in found) / whole,
        )
        for owner, found in each.items()
    }


def _is_proved(told: str) -> bool:
    return ": Valid" in told


def _weight(told: str) -> float:
    """The part of a goal in the time of all: what is told of simplifying and proving it, in
    milliseconds, and as much as a goal takes of which nothing is told."""
    return 5 + sum(float(time) * (1 if unit else 1000) for time, unit in _TIME.findall(told))


def analyse(
    file: Path,
    *,
    main: str = "main",
    more: Sequence[str] = (),
    by_contract: Sequence[str] = (),
    proves: Sequence[str] = (),
) -> Proof:
    """A program from `main` on, whatever its contract allows, by EVA: its alarms are what stays
    open, and what is not shown of the contracts of the functions that it `proves`.  Others are
    taken `by_contract`, so that their calls are looked at and not their bodies.  An assertion that
    is named `TAKEN` is WP's."""
    options = ["-eva", "-main", main, "-eva-precision", "1", "-eva-no-show-progress", *more]
    options += [f"-eva-use-spec={','.join(by_contract)}"] if by_contract else []
    asked = [*_COMMON, "-kernel-warn-key", "annot:missing-spec=abort", *options, str(file)]
    text, seconds = _run([*asked, "-then", "-report"])
    if "[eva:summary]" not in text:
        raise ToolError.at("frama-c", f"did not end its analysis:\n{text[-2000:]}")
    told = re.sub(r"Warning: \n +", "Warning: ", text).replace(f"{file.parent}/", "")
    relied_on = f"Warning: function {main}: precondition"
    goals = {
        each: False
        for each in _ALARM.findall(told)
        if not each.endswith(_TAKEN) and relied_on not in each
    }
    for function, properties in _PROPERTIES.findall(told):
        if function in proves:
            each = _STATUS.findall(properties)
            goals |= {f"{function}: {name}": status == "Valid" for status, name in each}
    opened = tuple(name for name, is_shown in goals.items() if not is_shown)
    return Proof(tuple(goals), opened, seconds)


def _run(options: Sequence[str]) -> tuple[str, float]:
    """Its output, and the CPU seconds of it and its provers."""
    command = ["frama-c", f"-cpp-extra-args={_ASM}", *options]
    with TemporaryFile("w+") as output:
        running = subprocess.Popen(
            command, env=_environment(), stdout=output, stderr=subprocess.STDOUT
        )
        _, status, used = os.wait4(running.pid, 0)
        running.returncode = os.waitstatus_to_exitcode(status)
        output.seek(0)
        text = output.read()
    if running.returncode:
        raise ToolError.at("frama-c", f"ended with status {running.returncode}:\n{text[-2000:]}")
    return text, used.ru_utime + used.ru_stime


@cache
def _environment() -> Mapping[str, str]:
    """With the provers that Why3 finds, in a file of ours."""
    config = user_cache() / "why3.conf"
    environment = {**os.environ, "WHY3CONFIG": str(config), "OCAMLRUNPARAM": _MEMORY}
    if not config.exists():
        config.parent.mkdir(parents=True, exist_ok=True)
        command = ["why3", "config", "detect"]
        subprocess.run(command, env=environment, check=True, capture_output=True)
    return environment
