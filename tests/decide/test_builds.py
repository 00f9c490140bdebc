"""Decisions in C++, under strict warnings, with several outputs, many elements, and in checked
builds; and what depends on a file of labels."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from tests.decide.models import decided, described, outputs_of, requantizing
from tests.decide.probes import Probe, run_probes
from tests.decide.test_errors import two_outputs
from tests.decide.test_on_targets import CASES, compiled_cases
from tests.emit.compiled import STRICT_C, STRICT_CPP, write
from tests.support.combined import SANITIZED, target_or_skip
from tinyml_rules.cli import main
from tinyml_rules.compiler import compile_model
from tinyml_rules.errors import UnsupportedError
from tinyml_rules.request.options import named_files
from tinyml_rules.request.request import Request
from tinyml_rules.system.process import run_tool

SCORE = '[output]\nhead = "mean-squared-difference"\n'


@pytest.mark.parametrize(
    ("part", "compiler"),
    [
        ("host", ("gcc", "-std=c11", *STRICT_C)),
        ("host", ("g++", "-std=c++98", *STRICT_CPP)),
        ("atmega328", ("avr-gcc", "-mmcu=atmega328p", "-std=gnu99", *STRICT_C)),
        ("atmega328", ("avr-g++", "-mmcu=atmega328p", "-std=gnu++98", *STRICT_CPP)),
    ],
)
def test_no_warnings(part: str, compiler: tuple[str, ...], tmp_path: Path) -> None:
    """Of the C, and of a program in C++ that includes the headers and calls what is in them."""
    compiled = compiled_cases(target_or_skip(part), tmp_path)
    for each in compiled.values():
        write(each, tmp_path)
    is_cpp = "++" in compiler[0]
    program = tmp_path / f"program.{'cpp' if is_cpp else 'c'}"
    includes = "".join(f'#include "{name}.h"\n' for name in CASES)
    program.write_text(f"{includes}int main(void) {{ return many_is_yes() + one_is_alarm(); }}\n")
    files = [program] if is_cpp else [program, *(tmp_path / f"{name}.c" for name in CASES)]
    for file in files:
        run_tool([*compiler, "-c", str(file), "-o", str(file.with_suffix(".o"))], where=file.name)


def test_labels_are_in_flash(tmp_path: Path) -> None:
    """On AVR no label takes RAM."""
    texts = ['[output]\nhead = "argmax"\n', '[output]\nhead = "argmax"\nlabels = ["aa", "bb"]\n']
    part, model = target_or_skip("atmega328"), requantizing(2, (0.1, 0), (0.1, 0))
    for text in texts:
        compiled = decided(model, text, tmp_path, target=part)
        write(compiled, tmp_path)
        command = part.toolchain.compile_command(tmp_path / "model.c", tmp_path / "model.o")
        run_tool(command, where="model.c")
        listed = run_tool(["avr-size", "-A", str(tmp_path / "model.o")], where="model.o")
        sizes = {line.split()[0]: int(line.split()[1]) for line in listed.splitlines()[2:] if line}
        assert (sizes[".data"], sizes.get(".rodata", 0)) == (0, 0)
    assert sum(size for name, size in sizes.items() if name.startswith(".progmem.data")) >= 6


def test_several_outputs(tmp_path: Path) -> None:
    """Functions and macros have the output's name, as its accessor has."""
    text = '[output."b 2"]\nhead = "argmax"\n[output.a]\nhead = "fixed-point"\n'
    compiled = decided(two_outputs(("a", "b 2")), text, tmp_path)
    header = compiled.files["model.h"]
    for line in ("int model_b_2_decide(void);", "int32_t model_a_fixed_point(int index);"):
        assert line in header.splitlines()


@pytest.mark.parametrize("count", [33_025, 33_026])
def test_many_elements(count: int, tmp_path: Path) -> None:
    """On both sides of what int32 sums hold, at the values that make the largest ones."""
    one, other, target = (0.5, -128), (0.4, -128), target_or_skip(SANITIZED)
    model = requantizing(count, one, other)
    compiled = decided(model, SCORE, tmp_path, target=target)
    assert ("_of_many" in compiled.files["model.c"]) == (count > 33_025)
    samples = np.stack([np.full(count, 127), np.full(count, -128)]).astype(np.int8)
    (found,) = run_probes(target, [Probe(compiled, ("model_score(@)",))], [samples], tmp_path)
    made = outputs_of(model, samples, 1, count)
    squared = compiled.decisions[0].squared
    assert squared is not None
    exact = [Fraction(float(np.float32(scale))) for scale, _ in (one, other)]
    for given, result, (score,) in zip(samples, made, found.tolist(), strict=True):
        difference = exact[0] * (int(given[0]) + 128) - exact[1] * (int(result[0]) + 128)
        assert abs(Fraction(score, 2**squared.fraction_bits) - difference**2) <= squared.error


def test_dead_bytes_are_not_compared(tmp_path: Path) -> None:
    """A checked build overwrites them: the input is alive until the score is there."""
    target, model = target_or_skip(SANITIZED), requantizing(24, (0.02, 9), (0.01, -30))
    samples = np.random.default_rng(2).integers(-128, 128, (20, 24)).astype(np.int8)
    scores = []
    for is_checked in (False, True):
        sensor = described(SCORE, tmp_path)
        request = Request(model, "model", target, sensor=sensor, checked=is_checked)
        probe = Probe(compile_model(request), ("model_score(@)",))
        folder = tmp_path / str(is_checked)
        scores.append(run_probes(target, [probe], [samples], folder)[0])
    np.testing.assert_array_equal(scores[0], scores[1])
    assert len({*scores[0][:, 0].tolist()}) > 10


def test_a_pushed_input_is_never_whole(tmp_path: Path) -> None:
    """So that nothing can be compared with it."""
    model = requantizing((1, 4, 4, 2), (0.02, 9), (0.01, -30))
    decided(model, '[output]\nhead = "fixed-point"\n', tmp_path, is_pushed=True)
    with pytest.raises(UnsupportedError) as caught:
        decided(model, SCORE, tmp_path, is_pushed=True)
    assert "push" in str(caught.value)


def test_labels_of_a_file(tmp_path: Path) -> None:
    """The C has them, and what is compiled depends on the file."""
    file = tmp_path / "labels.txt"
    file.write_text("\ufeffyes\r\nno way\r\n\r\n", encoding="utf-8", newline="")
    text = '[output]\nhead = "argmax"\nlabels = "labels.txt"\n'
    model = requantizing(2, (0.1, 0), (0.1, 0))
    compiled = decided(model, text, tmp_path)
    assert compiled.decisions[0].labels == ("yes", "no way")
    assert "#define MODEL_CLASS_NO_WAY 1" in compiled.files["model.h"]
    sensor = tmp_path / "sensor.toml"
    assert named_files({"sensor": sensor}) == (str(sensor), str(file))
    (tmp_path / "model.tflite").write_bytes(model)
    out, depfile = tmp_path / "out", tmp_path / "model.d"
    words = ["--sensor", str(sensor), "--out", str(out), "--depfile", str(depfile)]
    assert main(["compile", str(tmp_path / "model.tflite"), *words]) == 0
    assert str(file) in depfile.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            'head = ["argmax", "top-k"]\nk = 2\nlabels = ["a", "b", "c"]',
            "decides 'b'; top 2: 'b', 'c'",
        ),
        ('head = "threshold"\nthreshold = [0.5, 1, 2]', "reached by 1"),
        ('head = "threshold"\nthreshold = 2.1\nlabels = ["a", "b", "c"]', "reached by none"),
        (
            'head = "mean-squared-difference"\nthreshold = 1\nlabels = ["odd"]',
            "score 0; threshold of 'odd' not reached",
        ),
    ],
)
def test_run_shows_decisions(
    text: str, expected: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    model, sensor, given = (tmp_path / name for name in ("m.tflite", "sensor.toml", "in.npy"))
    model.write_bytes(requantizing(3, (0.125, 0), (0.125, 0)))
    sensor.write_text(f"[output]\n{text}\n", encoding="utf-8")
    np.save(given, np.array([[-5, 16, 15]], np.int8))
    assert main(["run", str(model), "--sensor", str(sensor), "--input", str(given)]) == 0
    assert capsys.readouterr().out.splitlines()[-1] == f"  decision   {expected}"
