"""The house rules that a machine can judge: sizes, import direction, printing, words."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

from tests.conftest import PROJECT
from tinyml_rules.ops import builtin_operators

PACKAGE = PROJECT / "tinyml_rules"
CODE_FOLDERS = (
    *("tinyml_rules", "site_scons", "tests", "models", "benchmarks", "generate", "proofs"),
    "requirements",
)
TEXT_FOLDERS = (*CODE_FOLDERS, "changes", "targets", ".ci", "docs", "e2e", "examples")
TEXT_SUFFIXES = (
    *(".py", ".c", ".h", ".j2", ".ld", ".toml", ".txt", ".in", ".md", ".yml", ".yaml", ""),
    *(".cmake", ".mk", ".build", ".ini", ".bzl", ".bazel", ".ino", ".json"),
)

MOST_LINES = 300
MOST_LINES_OF_A_FUNCTION = 40

TABLE = "| folder | what it knows |"
"""In ARCHITECTURE.md: the rooms of the package, and the modules at its root, in their order."""
WITHOUT_A_ROW = {"BUILD.bazel", "__pycache__/"}

VAGUE_NAMES = {"utils", "util", "helpers", "helper", "common", "manager", "misc"}
PRINTING = ("cli.py", "ci/", "frontends/")
STAGES = ("lower", "plan", "emit", "reporting")
NAMELESS = ("model_file/reader.py", *(f"{name}/**/*.py" for name in STAGES))
"""Here nobody names an operator: they ask it."""
ORDINARY_WORDS = {"equal", "greater", "less", "maximum", "minimum", "select", "sub"}
ORDINARY_WORDS |= {"fill", "mean", "pack", "pad", "shape", "slice", "split", "sum", "while"}
ORDINARY_WORDS |= {"abs", "ceil", "exp", "floor", "if", "log", "round", "sign", "square"}
"""Operators that are called like what is meant by them everywhere."""

FORBIDDEN_WORDS = re.compile(r"\b\w*(?:input_offset|output_offset|zero_offset)\w*")
"""A zero point is never called an offset, which is bytes from the arena's start."""
MACHINE_PATHS = re.compile(r"(?<![\w.])/(?:work|home|root|Users|tmp)/\w")
UNFINISHED = re.compile(r"\b(?:TO" + r"DO|FIX" + r"ME|XX" + r"X)\b")

Function = ast.FunctionDef | ast.AsyncFunctionDef


def source_files(*folders: str) -> list[Path]:
    """Every Python file of ours."""
    files = (file for folder in folders for file in (PROJECT / folder).rglob("*.py"))
    return sorted([*files, PROJECT / "tinyml"])


def text_files() -> Iterator[Path]:
    """Every file of ours that people read."""
    for folder in TEXT_FOLDERS:
        for file in sorted((PROJECT / folder).rglob("*")):
            if file.is_file() and "__pycache__" not in file.parts and file.suffix in TEXT_SUFFIXES:
                yield file
    for file in sorted(PROJECT.iterdir()):
        if file.is_file() and file.suffix in TEXT_SUFFIXES:
            yield file


def parsed(file: Path) -> ast.Module:
    """The syntax tree of a file."""
    return ast.parse(file.read_text(encoding="utf-8"), str(file))


def name_of(file: Path) -> str:
    """The path from the project's root."""
    return file.relative_to(PROJECT).as_posix()


def places(pattern: re.Pattern[str]) -> list[str]:
    """Where a pattern occurs: file:line: text."""
    return [
        f"{name_of(file)}:{number}: {line.strip()}"
        for file in text_files()
        if file != Path(__file__)
        for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), start=1)
        if pattern.search(line)
    ]


def test_files_are_short() -> None:
    """Above this, a file tells two stories."""
    lengths = {
        name_of(file): len(file.read_text(encoding="utf-8").splitlines())
        for file in source_files(*CODE_FOLDERS)
    }
    assert len(lengths) > 100
    assert {name: length for name, length in lengths.items() if length > MOST_LINES} == {}


def test_functions_are_short() -> None:
    """From the line of `def` to the last one; tests are functions too."""
    long = [
        f"{name_of(file)}:{node.lineno} {node.name}: {node.end_lineno - node.lineno + 1} lines"
        for file in source_files(*CODE_FOLDERS)
        for node in ast.walk(parsed(file))
        if isinstance(node, Function)
        and node.end_lineno is not None
        and node.end_lineno - node.lineno >= MOST_LINES_OF_A_FUNCTION
    ]
    assert "\n".join(long) == ""


def imported_modules(file: Path) -> Iterator[str]:
    """The modules that a file imports, those inside of functions too."""
    for node in ast.walk(parsed(file)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{name_of(file)}: a relative import"
            module = node.module or ""
            yield module
            yield from (f"{module}.{alias.name}" for alias in node.names)


def rows_of_rooms() -> list[tuple[str, ...]]:
    """What each row of the table names, as in the page: folders with a slash at the end."""
    text = (PROJECT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    table = text.partition(TABLE)[2].partition("\n\n")[0]
    cells = [line.split("|")[1] for line in table.splitlines() if line.startswith("| `")]
    return [tuple(re.findall(r"`([^`]+)`", cell)) for cell in cells]


ROWS = rows_of_rooms()
ROOMS = tuple(room for row in ROWS for room in row)


def room_of(path: str) -> str:
    """The room to which a file or folder of the package belongs."""
    inside = [room for room in ROOMS if path == room or f"{path}/".startswith(room)]
    assert inside, f"{path} is in no row of ARCHITECTURE.md's table of rooms"
    return max(inside, key=len)


def room_of_module(module: str) -> str:
    """The same for a module, or a name in one, as it is imported."""
    path = module.removeprefix("tinyml_rules").removeprefix(".").replace(".", "/")
    first = path.partition("/")[0]
    if (PACKAGE / first / "__init__.py").is_file() and first:
        return room_of(path)
    return f"{first}.py" if (PACKAGE / f"{first}.py").is_file() else "__init__.py"


def test_every_room_has_a_row() -> None:
    """None is missing, none is of the past, and none is told twice."""
    found = {f"{each.name}{'/' * each.is_dir()}" for each in PACKAGE.iterdir()}
    assert (found - WITHOUT_A_ROW) | {"ops/_shared/", "ops/_weighted/"} == set(ROOMS)
    assert len(ROOMS) == len(set(ROOMS))


def test_imports_point_one_way() -> None:
    """A module knows only its own room and those of the rows above."""
    rows = {room: number for number, row in enumerate(ROWS) for room in row}
    wrong = []
    for file in sorted(PACKAGE.rglob("*.py")):
        room = room_of(file.relative_to(PACKAGE).as_posix())
        for module in imported_modules(file):
            if module.partition(".")[0] != "tinyml_rules":
                continue
            imported = room_of_module(module)
            if imported != room and rows[imported] >= rows[room]:
                wrong.append(f"{name_of(file)} imports {module}")
    assert wrong == []


def test_rooms_are_in_a_real_order() -> None:
    """The main stages come in the order in which the architecture tells them."""
    story = (
        *("errors.py", "ir/", "model_file/", "ops/", "passes/", "lower/", "plan/", "emit/"),
        *("reporting/", "compiler.py", "firmware/", "runners/", "cli.py", "frontends/"),
    )
    for before, after in pairwise(story):
        assert ROOMS.index(before) < ROOMS.index(after)


def test_operators_do_not_know_each_other() -> None:
    """What two of them need is in `ops/_shared` and `ops/_weighted`."""
    wrong = [
        f"{name_of(file)} imports {module}"
        for op in builtin_operators()
        for file in sorted((PACKAGE / "ops" / op).rglob("*.py"))
        for module in imported_modules(file)
        for other in builtin_operators()
        if other != op and f"{module}.".startswith(f"tinyml_rules.ops.{other}.")
    ]
    assert wrong == []


def test_modules_say_what_they_do() -> None:
    """Every file has a docstring, and no vague name."""
    for file in source_files(*CODE_FOLDERS):
        assert ast.get_docstring(parsed(file)), f"{name_of(file)} has no docstring"
        assert not VAGUE_NAMES & {file.stem, *file.relative_to(PROJECT).parts}, name_of(file)


def test_environment_is_not_read() -> None:
    """Nothing in the package depends on environment variables, but colours and the user's cache."""
    allowed = {PACKAGE / "system" / name for name in ("terminal.py", "user_folder.py")}
    allowed |= set((PACKAGE / "ci").glob("*.py"))  # a service says all by variables
    wrong = [
        f"{name_of(file)}:{node.lineno}"
        for file in sorted(set(PACKAGE.rglob("*.py")) - allowed)
        for node in ast.walk(parsed(file))
        if (isinstance(node, ast.Attribute) and node.attr in ("environ", "getenv"))
        or (isinstance(node, ast.alias) and node.name in ("environ", "getenv"))
    ]
    assert wrong == []


def test_only_the_outside_prints() -> None:
    """Whoever prints cannot be used from another program."""
    wrong = [
        f"{name_of(file)}:{node.lineno}"
        for file in sorted(PACKAGE.rglob("*.py"))
        if not file.relative_to(PACKAGE).as_posix().startswith(PRINTING)
        for node in ast.walk(parsed(file))
        if (isinstance(node, ast.Name) and node.id == "print")
        or (isinstance(node, ast.Attribute) and ast.unparse(node) in ("sys.stdout", "sys.stderr"))
    ]
    assert wrong == []


def words_of(file: Path) -> Iterator[tuple[int, str]]:
    """Every string and identifier with its line, docstrings left out."""
    tree = parsed(file)
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            node.value.value = ""  # a docstring, or the text below a constant
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.lineno, node.value
        elif isinstance(node, ast.Name):
            yield node.lineno, node.id
        elif isinstance(node, Function | ast.ClassDef):
            yield node.lineno, node.name


def test_stages_name_no_operator() -> None:
    """Reader, planner and emitter ask an operator instead of knowing it."""
    known = "|".join(builtin_operators().keys() - ORDINARY_WORDS)
    names = re.compile(rf"\b_?(?:{known})\b", re.I)
    files = [file for pattern in NAMELESS for file in PACKAGE.glob(pattern)]
    assert len(files) > len(NAMELESS)
    words = [(file, line, word) for file in files for line, word in words_of(file)]
    wrong = [f"{name_of(file)}:{line}: {word}" for file, line, word in words if names.search(word)]
    assert wrong == []


def test_words() -> None:
    """One word, one meaning."""
    assert places(FORBIDDEN_WORDS) == []


def test_nothing_is_of_one_machine() -> None:
    """No path of the computer on which something was written."""
    assert places(MACHINE_PATHS) == []


def test_nothing_is_left_to_do() -> None:
    """What is missing is in nobody's comment."""
    assert places(UNFINISHED) == []
