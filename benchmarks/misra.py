"""Findings of MISRA C:2012 in the C of a model, as cppcheck's addon has them, each with a reason.

cppcheck reads the C as the target's compiler does: with its macros and its sizes.  The addon checks
a part of the rules (https://cppcheck.sourceforge.io/misra.php), and names no rule's text.
"""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tinyml_rules.errors import ToolError
from tinyml_rules.system.process import run_program
from tinyml_rules.target.target import Target

REASONS = Path(__file__).with_suffix(".toml")
OPEN = "open"
"""What stands for a reason where there is none."""
_MANDATORY = {
    *("9.1", "12.5", "13.6", "17.3", "17.4", "17.6", "19.1", "21.13", "21.17", "21.18", "21.19"),
    *("21.20", "22.2", "22.4", "22.5", "22.6"),
}
_ADVISORY = {
    *("1.2", "2.3", "2.4", "2.5", "2.6", "2.7", "4.2", "5.9", "8.7", "8.9", "8.11", "8.13", "10.5"),
    *("11.4", "11.5", "12.1", "12.3", "12.4", "13.3", "13.4", "15.1", "15.4", "15.5", "17.5"),
    *("17.8", "18.4", "18.5", "19.2", "20.1", "20.5", "20.10", "21.12"),
}
_PLATFORMS = {"avr": "avr8", "host": "unix64"}
"""cppcheck's names for sizes of types, by architecture; of 32 bits where none is given."""
_FINDING = re.compile(r"(?P<file>[^|\n]+)\|(?P<line>\d+)\|misra-c2012-(?P<rule>[\d.]+)$", re.M)
_BROKEN = re.compile(r"\|(?:syntaxError|internalAstError|internalError|preprocessor\w*)$", re.M)
_MACRO = re.compile(r"^#define (\w+)(?: (.*))?$", re.M)
_PARAMETER = re.compile(r"(\w+)(?:\[\w*\])?\s*[,)]")
_TIMEOUT_S = 900


@dataclass(frozen=True)
class Row:
    """A rule that a model's C departs from, how often, and why."""

    rule: str
    category: str
    count: int
    reason: str


def category_of(rule: str) -> str:
    """What MISRA C:2012 says of a rule."""
    return "mandatory" if rule in _MANDATORY else "advisory" if rule in _ADVISORY else "required"


def reasons() -> Mapping[str, str]:
    """The deviations that there is a reason for, by rule."""
    found: Mapping[str, str] = tomllib.loads(REASONS.read_text(encoding="utf-8"))
    return found


def rows_of(source: Path, target: Target) -> list[Row]:
    """The findings in a model's C by rule; raises ToolError where cppcheck does not read it."""
    counts = Counter(rule for rule, _, _ in findings(source, target))
    why = reasons()
    order = sorted(counts, key=lambda rule: tuple(map(int, rule.split("."))))
    return [Row(rule, category_of(rule), counts[rule], why.get(rule, OPEN)) for rule in order]


def findings(source: Path, target: Target) -> Iterator[tuple[str, Path, int]]:
    """(rule, file, line) of each finding in a C file and its header, without a parameter that is
    used after all (2.7): cppcheck reads no operands of assembly."""
    command = [
        *("cppcheck", "--addon=misra", "--enable=style", "--std=c99", "--quiet"),
        f"--platform={_PLATFORMS.get(target.architecture, 'unix32')}",
        "--template={file}|{line}|{id}",
        *_macros(target, source),
        str(source),
    ]
    done = run_program(command, where=source.name, timeout_s=_TIMEOUT_S)
    output = done.stderr.decode("utf-8", "replace")
    broken = _BROKEN.search(output)
    if done.returncode or broken:
        raise ToolError.at(source.name, "cppcheck does not read it", hint=output.strip()[:200])
    for found in _FINDING.finditer(output):
        file, line = source.parent / Path(found["file"]).name, int(found["line"])
        lines = file.read_text(encoding="utf-8").splitlines()
        if found["rule"] != "2.7" or not _uses_every_parameter(lines[line - 1 :]):
            yield found["rule"], file, line


def _macros(target: Target, source: Path) -> Iterator[str]:
    """The macros of the target's compiler, as options; those with parameters are left out."""
    toolchain = target.toolchain
    flags = toolchain.compile_command(source, source.with_suffix(".o"))[1:-4]
    flags = [flag for flag in flags if flag.startswith(("-m", "-O", "-std=", "-f"))]
    command = [toolchain.program("gcc"), *flags, "-dM", "-E", "-x", "c", "/dev/null"]
    done = run_program(command, where=target.name, timeout_s=_TIMEOUT_S)
    for macro in _MACRO.finditer(done.stdout.decode("ascii", "replace")):
        yield f"-D{macro[1]}={macro[2] or ''}"


def _uses_every_parameter(lines: Sequence[str]) -> bool:
    """Whether the function that begins here names all its parameters in its body."""
    text = "\n".join(lines)
    signature, _, body = text.partition("\n{")
    body = body.partition("\n}")[0]
    parameters = _PARAMETER.findall(signature.rpartition("(")[2])
    return all(re.search(rf"\b{name}\b", body) for name in parameters)


def lines_of(rows: Sequence[Row], *, model: str, target: str) -> list[str]:
    """What the verb prints: the table, and a sum of it."""
    wide = max((len(row.rule) for row in rows), default=0)
    lines = [f"{row.rule:<{wide}}  {row.category:<9}  {row.count:>3}  {row.reason}" for row in rows]
    total = sum(row.count for row in rows)
    unexplained = sum(row.count for row in rows if row.reason == OPEN)
    return [*lines, f"{model} on {target}: {total} findings, {unexplained} of them open"]
