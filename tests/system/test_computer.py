"""What differs between systems, for all of them: the rules are those that Microsoft publishes for
CommandLineToArgvW, cmd.exe and names of files, read here by parsers of their own."""

from __future__ import annotations

import ast
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path, PurePosixPath, PureWindowsPath

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.conftest import PROJECT
from tests.test_house_rules import PACKAGE, name_of, parsed
from tinyml_rules.cli import main
from tinyml_rules.errors import UsageError
from tinyml_rules.model_file.writer import ModelSpec, OperatorSpec, TensorSpec, build_model
from tinyml_rules.request.options_file import read_options
from tinyml_rules.sensor.description import read_description
from tinyml_rules.system import computer, files
from tinyml_rules.system.computer import (
    System,
    cache_folder,
    is_device,
    is_taken_as_other,
    program_file,
    replace_file,
    shell_line,
)

CHARACTERS = st.sampled_from([*"ab\\\"%^&|<>()! \t'$é"])
WORDS = st.lists(st.text(CHARACTERS, max_size=8), min_size=1, max_size=4)


def after_cmd(line: str) -> str:
    """What cmd.exe hands to a program: carets are taken away outside of quotes, `%` expands
    variables, and what would end the command is none of it."""
    found, is_quoted, at = [], False, 0
    while at < len(line):
        char = line[at]
        if char == "^" and not is_quoted:
            at += 1
            found.append(line[at])
        else:
            assert char != "%", "a variable would be expanded"
            assert is_quoted or char not in "&|<>()", "the command would end"
            is_quoted ^= char == '"'
            found.append(char)
        at += 1
    return "".join(found)


def arguments_of(line: str) -> list[str]:
    """CommandLineToArgvW: 2n backslashes before a quote are n and the quote; 2n + 1 are n and a
    quote that is part of the word."""
    words, word, is_quoted, at = list[str](), None, False, 0
    while at < len(line):
        run = re.compile(r"\\*").match(line, at)
        assert run
        count, at = len(run[0]), run.end()
        char = line[at : at + 1]
        if char == '"':
            word = (word or "") + "\\" * (count // 2)
            if count % 2:
                word += '"'
            else:
                is_quoted = not is_quoted
        else:
            if count:
                word = (word or "") + "\\" * count
            if char in (" ", "\t") and not is_quoted:
                if word is not None:
                    words.append(word)
                word = None
            elif char:
                word = (word or "") + char
        at += 1
    return words if word is None else [*words, word]


@settings(max_examples=150, derandomize=True, database=None)
@given(WORDS)
def test_lines_of_the_command_prompt(words: list[str]) -> None:
    """Every word arrives as it is."""
    line = shell_line(["prog", *words], system=System.WINDOWS)
    assert arguments_of(after_cmd(line)) == ["prog", *words]


@settings(max_examples=100, derandomize=True, database=None)
@given(WORDS)
def test_lines_of_a_shell(words: list[str]) -> None:
    """The same for POSIX, and what needs no quotes has none in either."""
    assert shlex.split(shell_line(words, system=System.MACOS)) == words
    plain = [r"C:\tools\npm", "--prefix", "a-b_c.d"]
    assert shell_line(plain, system=System.WINDOWS) == r"C:\tools\npm --prefix a-b_c.d"


def test_lines_as_people_know_them() -> None:
    """Quotes around a folder with a blank, whose backslash at the end is doubled."""
    assert shell_line(["C:\\a b\\"], system=System.WINDOWS) == '"C:\\a b\\\\"'
    assert shell_line(["50%"], system=System.WINDOWS) == '^"50^%^"'
    assert shell_line(["/a b"], system=System.LINUX) == "'/a b'"


def test_python_reads_lines_the_same_way() -> None:
    """The parser of this test agrees with the rules by which Python writes such lines."""
    for words in (["a b", 'c"d', "e\\", "f g\\", '\\"', "\\\\x y", ""], ["\\\\host\\a b\\c"]):
        assert arguments_of(subprocess.list2cmdline(words)) == words


@pytest.mark.parametrize("name", ["con", "NUL.c", "com1", "LPT9.txt", "Aux .h", "CONIN$", "com²"])
def test_devices(name: str) -> None:
    """By any ending, in any case."""
    assert is_device(name)
    assert is_taken_as_other(name)


@pytest.mark.parametrize("name", ["console", "com", "com10", "null.c", "sine.weights.bin", ".d"])
def test_names_that_are_no_devices(name: str) -> None:
    """Though they begin like one."""
    assert not is_device(name)
    assert not is_taken_as_other(name)


@pytest.mark.parametrize("name", ["a.", "a ", "a:b", "a?", 'a"b', "a|b", "a\nb", "a\\b"])
def test_names_that_windows_changes(name: str) -> None:
    """Or refuses."""
    assert is_taken_as_other(name)


def test_a_device_is_no_output(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """On Windows; nothing of the other files is written."""
    monkeypatch.setattr(files, "this_system", lambda: System.WINDOWS)
    with pytest.raises(UsageError, match=r"con\.c: error: is no name of a file on Windows"):
        files.write_files({"a.h": "a", "con.c": "b"}, tmp_path / "new")
    assert [*(tmp_path / "new").iterdir()] == []
    monkeypatch.undo()
    files.write_files({"con.c": "b"}, tmp_path)
    assert (tmp_path / "con.c").read_bytes() == b"b"


HOMES: tuple[tuple[System, Mapping[str, str], str, str], ...] = (
    (System.LINUX, {}, "/h/a", "/h/a/.cache/tinyml_rules"),
    (System.LINUX, {"XDG_CACHE_HOME": "/x"}, "/h/a", "/x/tinyml_rules"),
    (System.LINUX, {"XDG_CACHE_HOME": "x"}, "/h/a", "/h/a/.cache/tinyml_rules"),
    (System.MACOS, {}, "/u/a", "/u/a/Library/Caches/tinyml_rules"),
    (System.WINDOWS, {}, r"C:\Users\a", r"C:\Users\a\AppData\Local\tinyml_rules\Cache"),
    (System.WINDOWS, {"LOCALAPPDATA": r"D:\L"}, "C:\\", r"D:\L\tinyml_rules\Cache"),
    (System.WINDOWS, {"LOCALAPPDATA": "L"}, "C:\\", r"C:\AppData\Local\tinyml_rules\Cache"),
)


@pytest.mark.parametrize(("system", "environment", "home", "expected"), HOMES)
def test_cache(system: System, environment: Mapping[str, str], home: str, expected: str) -> None:
    """Where each system has it."""
    kind = PureWindowsPath if system is System.WINDOWS else PurePosixPath
    assert cache_folder(system, environment, home) == kind(expected)


def test_programs() -> None:
    """A compiler's program has an ending on Windows alone."""
    assert program_file("runner", system=System.WINDOWS) == "runner.exe"
    assert program_file("runner.exe", system=System.WINDOWS) == "runner.exe"
    assert program_file("runner", system=System.MACOS) == "runner"


@pytest.mark.parametrize(("system", "tries"), [(System.WINDOWS, 3), (System.LINUX, 1)])
def test_a_file_that_is_open(system: System, tries: int, tmp_path: Path) -> None:
    """Windows refuses to replace it until it is closed; elsewhere the refusal is a real one."""
    refusals, pauses = [PermissionError()] * 2, list[float]()

    def replace(source: Path, target: Path) -> None:
        if refusals:
            raise refusals.pop()
        os.replace(source, target)  # noqa: PTH105 - what is called in earnest

    (tmp_path / "new").write_bytes(b"new")
    (tmp_path / "old").write_bytes(b"old")

    def run() -> None:
        new, old = tmp_path / "new", tmp_path / "old"
        replace_file(new, old, replace=replace, wait=pauses.append, system=system)

    if system is System.WINDOWS:
        run()
        assert (tmp_path / "old").read_bytes() == b"new"
    else:
        with pytest.raises(PermissionError):
            run()
        assert (tmp_path / "old").read_bytes() == b"old"
    assert len(pauses) == tries - 1


def test_line_ends_of_windows(tmp_path: Path) -> None:
    """TOML with CRLF, and a byte order mark, means the same."""
    options, sensor = tmp_path / "m.tinyml.toml", tmp_path / "s.toml"
    (tmp_path / "labels.txt").write_bytes(b"yes\r\nno\r\n")
    text = b'#:schema ./x\r\noptimize = "size"\r\n[target.uno]\r\npage = 8\r\n'
    options.write_bytes(b"\xef\xbb\xbf" + text)
    sensor.write_bytes(b'[output]\r\nhead = "argmax"\r\nlabels = "labels.txt"\r\n')
    assert read_options(options, "uno") == {"optimize": "size", "page": 8}
    assert read_description(sensor).outputs[""].labels == ("yes", "no")


def test_generated_files_have_line_ends_of_unix(tmp_path: Path) -> None:
    """Every text that is written, by bytes: none depends on the system."""
    model = PROJECT / "models" / "sine" / "sine.tflite"
    assert main(["compile", str(model), "--target=atmega328", f"--out={tmp_path}"]) == 0
    assert all(b"\r" not in file.read_bytes() for file in tmp_path.iterdir())
    wrong = [
        f"{name_of(file)}:{node.lineno}"
        for file in sorted(PACKAGE.rglob("*.py"))
        if "write_text" in file.read_text(encoding="utf-8")
        for node in ast.walk(parsed(file))
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr == "write_text"
        and "newline" not in [each.arg for each in node.keywords]
    ]
    assert wrong == []


@pytest.mark.parametrize("encoding", ["cp1252", "ascii", "cp437"])
def test_consoles_of_few_characters(encoding: str, tmp_path: Path) -> None:
    """A name that they lack is printed with escapes, and is no error; nothing is read or written in
    the encoding of the system."""
    names = ("λ → 入力", "出力")
    tensors = tuple(TensorSpec(name, (1, 4), scales=(0.5,), zero_points=(0,)) for name in names)
    spec = ModelSpec(tensors, (OperatorSpec("RELU", (0,), (1,)),), (0,), (1,))
    (tmp_path / "m.tflite").write_bytes(build_model(spec))
    command = [sys.executable, "-X", "utf8=0", "-m", "tinyml_rules", "inspect", "m.tflite"]
    done = subprocess.run(
        [*command[:1], "-X", "warn_default_encoding", "-W", "error::EncodingWarning", *command[1:]],
        cwd=tmp_path,
        env={**os.environ, "PYTHONIOENCODING": encoding, "LC_ALL": "C", "PYTHONPATH": str(PROJECT)},
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert b"\\u5165\\u529b" in done.stdout


OF_ONE_SYSTEM = re.compile(
    r"\b(?:os\.(?:name|uname|killpg|setsid|fork|getuid|geteuid|startfile|replace|rename)"
    r"|sys\.platform|signal\.SIG\w+|shlex\.(?:quote|join))\b"
)
IMPORT_OF_ONE_SYSTEM = re.compile(
    r"^ *(?:import|from) (?:fcntl|msvcrt|winreg|platform|pwd|grp|termios|resource)\b", re.M
)
HERE = {"tinyml_rules/system/computer.py"}
QUOTES_FOR_SCONS = {
    f"tinyml_rules/frontends/scons/{name}.py" for name in ("quantize", "quoting", "tinyml")
}
"""SCons's own words of a setting and of a POSIX shell; the third works without this package."""


def test_what_is_of_one_system_is_in_one_module() -> None:
    """And has a function there for the others."""
    found = {
        f"{name_of(file)}: {each.group().strip()}"
        for file in sorted(PACKAGE.rglob("*.py"))
        if name_of(file) not in HERE | QUOTES_FOR_SCONS
        for pattern in (OF_ONE_SYSTEM, IMPORT_OF_ONE_SYSTEM)
        for each in pattern.finditer(file.read_text(encoding="utf-8"))
    }
    assert found == set()
    assert computer.__file__ == str(PROJECT / next(iter(HERE)))
