"""Operators of folders outside the package: loaded, compiled, and what is said of broken ones."""

from __future__ import annotations

import json
import runpy
import shutil
import sys
from pathlib import Path

import numpy as np
import pytest

from tests.ops.user_operators import EXAMPLE, gain_model, options_bytes, write_gain
from tests.support.hand_written import target_or_skip
from tinyml_rules.cli import main
from tinyml_rules.errors import UsageError
from tinyml_rules.ir.graph import NodeView
from tinyml_rules.model_file.reader import read_model
from tinyml_rules.ops import builtin_operators, load_operators


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, with a model."""
    (tmp_path / "model.tflite").write_bytes(gain_model())
    monkeypatch.chdir(tmp_path)
    return tmp_path


def compiled(*words: str) -> int:
    """The exit status of a compilation."""
    return main(["compile", "model.tflite", "--quiet", "--out", "out", *words])


def test_one_folder_or_a_folder_of_them(tmp_path: Path) -> None:
    """Both are the same operators; the path of modules, and the folders, stay as they were."""
    write_gain(tmp_path / "all" / "gain")
    (tmp_path / "all" / "_shared").mkdir()
    (tmp_path / "all" / "_shared" / "__init__.py").write_text("raise ValueError\n")
    (tmp_path / "all" / "notes").mkdir()
    path, before = list(sys.path), sorted(tmp_path.rglob("*"))
    one = load_operators([tmp_path / "all" / "gain"])
    many = load_operators([tmp_path / "all", tmp_path / "all" / "." / ""])
    assert set(one) == set(many) == {*builtin_operators(), "gain"}
    found = one.of_code(32, "Gain")
    assert found is not None and found.name == "gain"
    assert (sys.path, sorted(tmp_path.rglob("*"))) == (path, before)
    assert load_operators([]) is builtin_operators()


def test_what_several_share(tmp_path: Path) -> None:
    """Modules beside operator folders are found by relative imports."""
    changes = {
        "op.py": ("import numpy as np", "import numpy as np\nfrom .._shared.limit import LIMIT")
    }
    write_gain(tmp_path / "gain", changes=changes)
    (tmp_path / "_shared").mkdir()
    (tmp_path / "_shared" / "limit.py").write_text("LIMIT = 127\n")
    assert "gain" in load_operators([tmp_path])


def test_edit_in_one_process(folder: Path) -> None:
    """The same length within the same second counts too."""
    write_gain(folder / "gain")
    made = []
    for before, after in (("", ""), ("(value > 127 ?", "(value > 126 ?"), ("* 1", "* 2")):
        file = folder / "gain" / ("op.py" if before == "* 1" else "gain.c.j2")
        file.write_text(file.read_text().replace(before, after))
        if before == "":
            text = file.with_name("op.py").read_text()
            file.with_name("op.py").write_text(
                text.replace("attrs.factor, view", "attrs.factor * 1, view")
            )
        assert compiled("--operators=gain") == 0
        made.append((folder / "out" / "model.c").read_text())
    assert len(set(made)) == 3


@pytest.mark.parametrize("target", ["host", "atmega328"])
def test_runs(target: str, folder: Path) -> None:
    """On the target's runner it gives what its meaning says."""
    target_or_skip(target)
    write_gain(folder / "gain")
    values = np.arange(-128, 128, dtype=np.int8).reshape(-1, 1, 4)
    expected = np.clip(values.astype(int) * 3, -128, 127).astype(np.int8)
    np.savez(folder / "v.npz", a=values, b=expected)
    words = ["test", "model.tflite", "--vectors", "v.npz", "--target", target]
    assert main([*words, "--operators", "gain"]) == 0
    expected[7] += 1
    np.savez(folder / "v.npz", a=values, b=expected)
    assert main([*words, "--operators", "gain"]) != 0


def test_options_file(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Its paths begin where it lies; the depfile names every file of the folder."""
    write_gain(folder / "deep" / "mine" / "gain")
    (folder / "model.tflite").rename(folder / "deep" / "model.tflite")
    (folder / "deep" / "model.tinyml.toml").write_text('operators = ["mine"]\n')
    words = ["deep/model.tflite"]
    assert main(["compile", *words, "--quiet", "--out", "out", "--depfile", "model.d"]) == 0
    depfile = (folder / "model.d").read_text()
    for name in ("__init__.py", "op.py", "gain.c.j2"):
        assert f"  deep/mine/gain/{name} \\\n" in depfile
    assert main(["inspect", *words, "--json"]) == 0
    assert main(["size", *words, "--target=host", "--json"]) == 0
    capsys.readouterr()
    assert main(["ops", "--operators=deep/mine", "--json"]) == 0
    assert "Gain" in [row["operator"] for row in json.loads(capsys.readouterr().out)]


@pytest.mark.usefixtures("folder")
def test_missing_operator(capsys: pytest.CaptureFixture[str]) -> None:
    """The error says what adds it, in the words of each front end."""
    assert compiled("--spelling=cmake") == 1
    assert capsys.readouterr().err == (
        "model: error: missing operators: custom 'Gain' (node 0)\n"
        "  hint: add it: a folder whose __init__.py has OP = Op(name=..., custom_name='Gain', ...),"
        " and OPERATORS DIR with that folder; docs/how-to/custom_operators.md shows one\n"
    )
    assert compiled("--spelling=bazel") == 1
    assert "and operators = ['DIR'] with that folder" in capsys.readouterr().err


BROKEN = {
    "raises": (
        {"op.py": ("import numpy as np", "1 / 0")},
        "gain: error: cannot be imported: ZeroDivisionError: division by zero (op.py, line 5)",
    ),
    "leaves": (
        {"__init__.py": ("OP = Op(", "raise SystemExit(0)\nOP = Op(")},
        "gain: error: cannot be imported: SystemExit: 0 (__init__.py, line 10)",
    ),
    "syntax": (
        {"op.py": ("def check(view):", "def check(view:")},
        "gain: error: cannot be imported: SyntaxError: '(' was never closed (op.py, line 28)",
    ),
    "no record": (
        {"__init__.py": ("OP = Op(", "OTHER = Op(")},
        "gain: error: __init__.py has no OP, expected the operator's record",
    ),
    "another record": (
        {"__init__.py": ("OP = Op(", "OP = dict(")},
        "gain: error: OP is dict, expected the record Op",
    ),
    "no such field": (
        {"__init__.py": ("summary=", "resume=")},
        "gain: error: cannot be imported: TypeError: Op.__init__() got an unexpected keyword "
        "argument 'resume' (__init__.py, line 10)",
    ),
    "name that is taken": (
        {"__init__.py": ('name="gain",\n    custom', 'name="relu",\n    custom')},
        "gain: error: there is an operator 'relu' already, expected another name",
    ),
    "kernel that is taken": (
        {"__init__.py": ('Kernel(name="gain"', 'Kernel(name="relu"')},
        "gain: error: there is a kernel 'relu' already, expected another name",
    ),
    "code that is taken": (
        {"__init__.py": ('custom_name="Gain"', "builtin_code=19")},
        "gain: error: the code 19 is the operator 'relu' already",
    ),
    "no name in files": (
        {"__init__.py": ('custom_name="Gain",', "")},
        "gain: error: OP has no custom_name, which is what a model file calls the operator",
    ),
    "no such operand": (
        {"op.py": ('"input": Operand()', '"source": Operand()')},
        "gain: error: a meaning of OP has rules for 'source', which is no operand",
    ),
    "no template": (
        {"__init__.py": ("gain.c.j2", "other.c.j2")},
        "gain: error: kernel 'gain' has no template",
    ),
    "check": (
        {"op.py": ('yield "shapes differ"', "pass\n    yield str(view.attrs)")},
        "gain: error: check fails: AttributeError: 'NodeView' object has no attribute 'attrs' "
        "(op.py, line 31)",
    ),
    "prepare": (
        {"op.py": ("return Work(", "raise KeyError('x')\n    return Work(")},
        "gain: error: prepare fails: KeyError: 'x' (op.py, line 34)",
    ),
    "no work": (
        {"op.py": ("return Work(", "return dict(")},
        "gain: error: prepare gives dict, expected Work",
    ),
    "params beyond their type": (
        {"op.py": ("attrs.factor, view", "attrs.factor * 100, view")},
        "gain: error: the params are none for C: Params.factor is 300, outside int8_t",
    ),
    "word of the template": (
        {"gain.c.j2": ("{{ flash }}", "{{ flashes }}")},
        "gain.c.j2:3: error: UndefinedError: 'flashes' is undefined",
    ),
    "syntax of the template": (
        {"gain.c.j2": ("{{ struct }}", "{{ struct }}\n{% if %}")},
        "gain.c.j2:2: error: TemplateSyntaxError: ",
    ),
}


@pytest.mark.parametrize("name", BROKEN)
def test_broken_folder(name: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """One error that names the folder and the cause; it is never called a mistake of ours."""
    changes, told = BROKEN[name]
    write_gain(folder / "gain", changes=changes)
    assert compiled("--operators=gain") == 2
    text = capsys.readouterr().err
    assert text.removeprefix(f"{folder}/gain/").startswith(told), text
    assert text.count("error: ") == 1
    assert "Traceback" not in text
    assert not (folder / "out").exists()


def test_two_of_the_same_name(tmp_path: Path) -> None:
    """Two folders of a user's, and two names for the same operator of a file."""
    write_gain(tmp_path / "a" / "gain")
    write_gain(tmp_path / "b" / "gain")
    with pytest.raises(UsageError, match="there is an operator 'gain' already"):
        load_operators([tmp_path / "a", tmp_path / "b"])
    shutil.rmtree(tmp_path / "b")
    changes = {"__init__.py": ('name="gain",\n    custom', 'name="other",\n    custom')}
    write_gain(tmp_path / "b" / "other", changes=changes)
    with pytest.raises(
        UsageError, match="the custom operator 'Gain' is the operator 'gain' already"
    ):
        load_operators([tmp_path / "a", tmp_path / "b"])


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("nowhere", "nowhere: error: no such folder, expected one with operators"),
        ("empty", "empty: error: no operator, expected an __init__.py here, or in folders of it"),
    ],
)
def test_no_folder(name: str, told: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A word that names nothing."""
    (folder / "empty").mkdir()
    assert compiled("--operators", name) == 2
    assert capsys.readouterr().err == f"{told}\n"


def test_oracle_of_the_example() -> None:
    """What its folder says in numpy is what its script says in real numbers, which tests run."""
    operators = load_operators([EXAMPLE / "operators"])
    graph = read_model((EXAMPLE / "knob.tflite").read_bytes(), name="knob", operators=operators)
    view = NodeView(graph, graph.nodes[0])
    with np.load(EXAMPLE / "knob.npz") as vectors:
        positions = vectors["position"].reshape(-1, 8)
        speeds = vectors["speed"].reshape(-1, 8)
    (outside,) = operators["deadband"].evaluate(view, {0: positions})
    assert np.array_equal(np.maximum(outside, view.output.zero_point), speeds)
    assert len(np.unique(outside)) > 200


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (b"\xff\xff\xff", "custom options that cannot be read: "),
        (b"", "no option 'factor'"),
        (options_bytes(is_loud=True), "no option 'factor'"),
        (options_bytes(factor="three"), "the option 'factor' is 'three', expected int"),
        (options_bytes(factor=3, is_loud=1), "the option 'is_loud' is 1, expected bool"),
        (options_bytes(factor=[3]), "custom options that cannot be read: an option that is no"),
    ],
)
def test_options_of_the_file(
    options: bytes, told: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """What the model file says, and the operator did not ask for, is the file's mistake."""
    write_gain(folder / "gain")
    (folder / "model.tflite").write_bytes(gain_model(options))
    assert compiled("--operators=gain") == 1
    assert capsys.readouterr().err.startswith(f"model: error: node 0 (gain) has {told}")


def test_values_that_do_not_go_together(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The dataclass of the options may have its own say."""
    judge = "    def __post_init__(self):\n        assert self.factor < 3, 'big'\n"
    field = "is_loud: bool = False\n"
    write_gain(folder / "gain", changes={"op.py": (field, f"{field}\n{judge}")})
    assert compiled("--operators=gain") == 1
    told = "model: error: node 0 (gain) has options that do not go together (big)\n"
    assert capsys.readouterr().err == told


def test_the_example_is_what_its_script_writes(tmp_path: Path) -> None:
    """The model and the vectors that lie there."""
    script = shutil.copy2(EXAMPLE / "model.py", tmp_path)
    runpy.run_path(str(script), run_name="__main__")
    assert (tmp_path / "knob.tflite").read_bytes() == (EXAMPLE / "knob.tflite").read_bytes()
    made, there = np.load(tmp_path / "knob.npz"), np.load(EXAMPLE / "knob.npz")
    assert set(made) == set(there)
    assert all(np.array_equal(made[name], there[name]) for name in made)
