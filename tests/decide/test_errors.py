"""What is wrong with an [output], in itself or for a model: one line each that says what is
expected, and no file is written."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.decide.models import chain, decided, requantizing
from tinyml_rules.cli import main
from tinyml_rules.errors import UsageError
from tinyml_rules.model_file.writer import ModelSpec, OperatorSpec, TensorSpec, build_model
from tinyml_rules.sensor.output import KEYS, Head, read_output
from tinyml_rules.sensor.table import Table

TEN = requantizing(10, (0.02, 3), (0.02, 3))
"""Values from -2.62 to 2.48."""
SCORED = 'head = "mean-squared-difference"\n'
HEADS = "argmax, top-k, threshold, fixed-point, event, mean-squared-difference"
EVENT = 'head = "event"\nthreshold = 1\n'

IN_ITSELF = {
    "": f"no 'head', which is required: one of {HEADS}",
    'head = "arg-max"': f"'head' is \"arg-max\", expected one of {HEADS}\n"
    "  hint: did you mean 'argmax'?",
    "head = 3": f"'head' is 3, expected one of {HEADS}",
    "head = []": "'head' is [], expected a head, or a list of different ones",
    'head = ["argmax", "argmax"]': """'head' is ["argmax", "argmax"], expected a head, or a list """
    "of different ones",
    'head = ["argmax", "mean-squared-difference"]': "'head' is [\"argmax\", "
    '"mean-squared-difference"], expected "mean-squared-difference" alone',
    'head = "argmax"\nlabel = ["a"]': "unknown key 'label', expected one of head, labels, k, "
    "threshold, fraction_bits, reference, keep_scores, window, minimum_count, round_down, "
    "off_threshold, debounce, votes, refractory, refractory_ms, suppression, suppression_ms, "
    "period_ms, warm_up, restart, background\n  hint: did you mean 'labels'?",
    'head = "argmax"\nk = 2': "'k' is for head = \"top-k\" alone",
    'head = "argmax"\nthreshold = 2': "'threshold' is for head = \"threshold\" or "
    '"event" or "mean-squared-difference" alone',
    'head = "top-k"': "no 'k', which head = \"top-k\" needs",
    'head = "threshold"': "no 'threshold', which head = \"threshold\" needs",
    'head = "top-k"\nk = 0': "'k' is 0, expected a whole number from 1 to 32767",
    'head = "threshold"\nthreshold = "high"': "'threshold' is \"high\", expected a number",
    'head = "threshold"\nthreshold = nan': "'threshold' is NaN, expected a number, 0 or from 1e-30 "
    "to 1e30 in size",
    'head = "fixed-point"\nfraction_bits = 31': "'fraction_bits' is 31, expected a whole number "
    "from 0 to 30",
    'head = "argmax"\nkeep_scores = 1': "'keep_scores' is 1, expected true or false",
    'head = "argmax"\nlabels = []': "'labels' is [], expected a label for each value",
    'head = "argmax"\nlabels = ["a", 1]': "'labels' is [\"a\", 1], expected a list of strings, or "
    "the name of a file with one on each line",
    'head = "argmax"\nlabels = ["a", "a"]': 'label "a" is there twice, expected different ones',
    'head = "argmax"\nlabels = ["a\\n"]': 'label "a\\n" is not valid, expected printable text of 1 '
    "to 255 bytes",
    'head = "argmax"\nlabels = "none.txt"': "'labels' is \"none.txt\", expected a file that can be "
    "read (No such file or directory)",
    'head = "argmax"\nlabels = "latin1.txt"': "'labels' is \"latin1.txt\", expected the name of a "
    "text file in UTF-8",
    'head = "argmax"\nlabels = "a\\u0000b"': "'labels' is \"a\\u0000b\", expected the name of a "
    "text file in UTF-8",
    'head = "event"': "no 'threshold', which head = \"event\" needs",
    'head = "argmax"\nwindow = 3': "'window' is for head = \"event\" alone",
    EVENT + "window = 0": "'window' is 0, expected a whole number from 1 to 255",
    EVENT + "window = 4\nminimum_count = 5": "'minimum_count' is 5, expected a whole number from 1 "
    "to 4",
    EVENT + 'round_down = "yes"': "'round_down' is \"yes\", expected true or false",
    EVENT + "restart = 1": "'restart' is 1, expected true or false",
    EVENT + "debounce = 256": "'debounce' is 256, expected a whole number from 1 to 255",
    EVENT
    + "debounce = 3\nvotes = [2, 3]": "'debounce' and 'votes' exclude each other, expected one "
    "of them",
    EVENT + "votes = [4, 3]": "'votes' is [4, 3], expected [n, m]: two whole numbers, 1 <= n <= m "
    "<= 255",
    EVENT + "votes = 3": "'votes' is 3, expected [n, m]: two whole numbers, 1 <= n <= m <= 255",
    EVENT + "refractory = -1": "'refractory' is -1, expected a whole number from 0 to 32766",
    EVENT + "warm_up = 40000": "'warm_up' is 40000, expected a whole number from 0 to 32766",
    EVENT + "suppression_ms = 1500": "no 'period_ms', which 'suppression_ms' needs",
    EVENT + "period_ms = 20": "'period_ms' is for 'refractory_ms' and 'suppression_ms' alone",
    EVENT + "refractory_ms = 9\nperiod_ms = 0": "'period_ms' is 0, expected a number above 0",
    EVENT
    + "refractory_ms = 1e9\nperiod_ms = 20": "'refractory_ms' is 1E+9, expected a time of 0 to "
    "32766 results",
    EVENT + "refractory = 9\nrefractory_ms = 9\nperiod_ms = 1": "'refractory' and 'refractory_ms' "
    "exclude each other, expected one of them",
    EVENT + 'background = ["a"]': "'background' is [\"a\"], expected a list of some of the labels",
    EVENT
    + 'labels = ["a"]\nbackground = ["a"]': "'background' is [\"a\"], expected a list of some "
    "of the labels",
}
FOR_THE_MODEL = {
    'head = "argmax"\nlabels = ["a", "b"]': "2 labels, but output tensor #1 'made' has 10 values, "
    "shape [1, 10]",
    'head = "top-k"\nk = 11': "'k' is 11, but output tensor #1 'made' has 10 values, shape [1, 10]",
    'head = "threshold"\nthreshold = 2.4800001': "threshold 2.4800001 is never reached: the values "
    "go from -2.61999994 to 2.47999994",
    'head = "threshold"\nthreshold = -2.62': "threshold -2.62 is always reached: the values go "
    "from -2.61999994 to 2.47999994",
    'head = "threshold"\nthreshold = [1, 2]': "2 thresholds, but output tensor #1 'made' has 10 "
    "values, shape [1, 10]",
    'head = "fixed-point"\nfraction_bits = 30': "30 fraction bits leave int32 for values from "
    "-2.62 to 2.48\n  hint: at most 29 do",
    SCORED + "threshold = 0": "threshold 0 is always reached: the values go from 0 to 26.0099988",
    SCORED
    + "threshold = 26.1": "threshold 26.1 is never reached: the values go from 0 to 26.0099988",
    SCORED + "fraction_bits = 27": "27 fraction bits leave int32 for scores up to 26.01, expected "
    "at most 26",
    SCORED + 'labels = ["a", "b"]': "2 labels for one score",
    EVENT + "off_threshold = 1.5": "'off_threshold' is 1.5, expected at most the threshold, 1",
    EVENT
    + "off_threshold = [0, 1]": "2 numbers of 'off_threshold', but output tensor #1 'made' has "
    "10 values, shape [1, 10]",
    EVENT
    + "off_threshold = -3": "off_threshold -3 is always reached: the values go from -2.61999994 to "
    "2.47999994",
    'head = "event"\nthreshold = 2.5': "threshold 2.5 is never reached: the values go from "
    "-2.61999994 to 2.47999994",
}


@pytest.mark.parametrize("text", [*IN_ITSELF, *FOR_THE_MODEL])
def test_message(text: str, tmp_path: Path) -> None:
    (tmp_path / "latin1.txt").write_bytes(b"gr\xfcn\n")
    with pytest.raises(UsageError) as caught:
        decided(TEN, f"[output]\n{text}\n", tmp_path)
    expected = {**IN_ITSELF, **FOR_THE_MODEL}[text]
    where = f"{tmp_path / 'sensor.toml'} [output]"
    assert str(caught.value) == f"{where}: error: {expected}"


OTHERS = {
    "another shape": (
        build_model(
            ModelSpec(
                (
                    TensorSpec("given", (1, 4, 6), "int8", (0.1,), (0,)),
                    TensorSpec("made", (1, 24), "int8", (0.1,), (0,)),
                ),
                (OperatorSpec("RESHAPE", (0,), (1,)),),
                (0,),
                (1,),
            )
        ),
        "[output]\n" + SCORED,
        " [output]: error: reference tensor #0 'given' has shape [1, 4, 6], expected that of "
        "output tensor #1 'made', [1, 24]",
    ),
    "tiny values": (
        requantizing(2, (1e-12, 0), (1e-12, 0)),
        '[output]\nhead = "fixed-point"\nfraction_bits = 8\n',
        " [output]: error: 8 fraction bits make 0 of all values from -1.28e-10 to 1.27e-10",
    ),
    "huge values": (
        requantizing(2, (1e12, 0), (1e12, 0)),
        '[output]\nhead = "fixed-point"\n',
        " [output]: error: int32 does not hold values from -1.28e+14 to 1.27e+14",
    ),
    "no vector": (
        requantizing((1, 2, 5), (0.1, 0), (0.1, 0)),
        '[output]\nhead = "argmax"\n',
        " [output]: error: output tensor #1 'made' has 10 values, shape [1, 2, 5], expected one "
        "dimension of 1 to 32767 classes",
    ),
    "no output of the name": (
        TEN,
        '[output.maid]\nhead = "argmax"\n',
        " [output.maid]: error: no output of the model is called 'maid', expected one of 'made'\n"
        "  hint: did you mean 'made'?",
    ),
    "no input of the name": (
        TEN,
        "[output]\n" + SCORED + 'reference = "taken"\n',
        " [output]: error: no input of the model is called 'taken', expected one of 'given'",
    ),
}


@pytest.mark.parametrize("name", OTHERS)
def test_message_for_another_model(name: str, tmp_path: Path) -> None:
    model, text, expected = OTHERS[name]
    with pytest.raises(UsageError) as caught:
        decided(model, text, tmp_path)
    assert str(caught.value) == f"{tmp_path / 'sensor.toml'}{expected}"


def two_outputs(names: tuple[str, str], *, dtype: str = "int8") -> bytes:
    """One value, and another that is of a type."""
    quantized = {"scales": (0.1,), "zero_points": (0,)}
    tensors = (
        TensorSpec("given", (1, 3), "int8", **quantized),  # type: ignore[arg-type]
        TensorSpec(names[0], (1, 3), "int8", **quantized),  # type: ignore[arg-type]
        TensorSpec(names[1], (1, 3), dtype, **quantized),  # type: ignore[arg-type]
    )
    operators = (OperatorSpec("RELU", (0,), (1,)), OperatorSpec("QUANTIZE", (0,), (2,)))
    return build_model(ModelSpec(tensors, operators, (0,), (1, 2)))


def test_which_of_several(tmp_path: Path) -> None:
    file = tmp_path / "sensor.toml"
    with pytest.raises(UsageError) as caught:
        decided(two_outputs(("a", "b")), '[output]\nhead = "argmax"\n', tmp_path)
    what = (
        "the model has 2 outputs, expected the name of one: 'a', 'b'\n  hint: write [output.NAME]"
    )
    assert str(caught.value) == f"{file} [output]: error: {what}"
    with pytest.raises(UsageError) as caught:
        decided(two_outputs(("a", "a")), '[output.a]\nhead = "argmax"\n', tmp_path)
    assert str(caught.value) == f"{file} [output.a]: error: 2 outputs of the model are called 'a'"


def test_other_types(tmp_path: Path) -> None:
    """There are decisions from 8 bits alone."""
    with pytest.raises(UsageError) as caught:
        decided(two_outputs(("a", "b"), dtype="int32"), '[output.b]\nhead = "argmax"\n', tmp_path)
    what = "output tensor #2 'b' is int32, expected int8 or uint8 with a scale"
    assert str(caught.value) == f"{tmp_path / 'sensor.toml'} [output.b]: error: {what}"


def test_nothing_is_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Exit status 2, and no traceback."""
    model, file = tmp_path / "model.tflite", tmp_path / "sensor.toml"
    model.write_bytes(chain(4, "SOFTMAX"))
    file.write_text('[output]\nhead = "top-k"\nk = 5\n', encoding="utf-8")
    out = tmp_path / "out"
    assert main(["compile", str(model), "--sensor", str(file), "--out", str(out)]) == 2
    assert "'k' is 5, but output tensor" in capsys.readouterr().err
    assert not out.exists() or not list(out.iterdir())


LETTERS = 'ab \n\0\\"é'
VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.decimals()
    | st.text(LETTERS, max_size=5)
    | st.sampled_from([*Head, "labels.txt", ".", date(2026, 11, 23)]),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(LETTERS, max_size=3), inner)
    ),
    max_leaves=4,
)


@settings(max_examples=400)
@given(st.dictionaries(st.sampled_from([*KEYS, "other"]), VALUES))
def test_any_table(values: dict[str, Any]) -> None:
    """Whatever TOML can hold is a description, or an error of the person's, on one line."""
    try:
        found = read_output(Table(values, "file.toml [output]", Path(__file__).parent))
    except UsageError as error:
        (problem,) = error.problems
        assert problem.where == "file.toml [output]" and "\n" not in problem.what
    else:
        assert found.heads
