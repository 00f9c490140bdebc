"""Every head in C, on a host under sanitizers and on emulated parts, equals numpy and rational
numbers: classes with ties to the lowest, thresholds and fixed point for all 256 values, and the
mean squared difference within the bound that the header states."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from elftools.elf.elffile import ELFFile
from elftools.elf.sections import SymbolTableSection

from tests.decide.models import decided, outputs_of, requantizing
from tests.decide.probes import Probe, build_probes, run_probes
from tests.support.combined import SANITIZED, target_or_skip, targets_of_each_kind
from tests.support.hand_written import build_snippet
from tests.support.tflm import AnyArray
from tinyml_rules.compiler import Compiled
from tinyml_rules.target.target import Target

SAMPLES = 256
FLOAT = re.compile(
    r"__(?:aeabi_(?:[fd]|[iul]+2[fd])|\w*[sdt]f\d?$|(?:float|fix)\w*|\w*[sd]f[ids]{1,2}\d?$)"
)
"""What compilers call for real numbers where no processor has them."""

HALF = (1 / 128, -5)
"""A scale of which every threshold is exact."""
ODD = (0.0235, 17)

MANY = """
[output]
head = ["argmax", "top-k", "threshold", "fixed-point"]
k = 3
threshold = 0.5
labels = ["yes", "no", "on/off", "9 \\"quoted\\" \\\\", "grün", "f", "g", "h", "i", "yes!"]
"""
EACH = """
[output]
head = ["top-k", "threshold", "fixed-point"]
k = 4
threshold = [-0.5, 0.0, 0.25, 0.7578125]
fraction_bits = 4
"""
ONE = """
[output]
head = ["threshold", "fixed-point"]
threshold = -1.3
fraction_bits = 20
labels = ["alarm"]
"""
SCORE = """
[output]
head = "mean-squared-difference"
threshold = 0.3
"""
RAW = '[input]\nraw = "uint12"\nscale = 0.001\nmean = 2.5\nstd = 1.5\n'
GIVEN, MADE = (0.0211, 9), (0.0113, -30)
ELEMENTS = 24


@dataclass(frozen=True)
class Case:
    """A model, its description, the C, and what is expected of TFLM's outputs for samples."""

    model: bytes
    text: str
    count: int
    expressions: tuple[str, ...]
    expected: Callable[[AnyArray, AnyArray, Compiled], AnyArray]
    before: str = ""


def real_values(found: AnyArray, scale: tuple[float, int]) -> list[list[Fraction]]:
    """What int8 values stand for, exactly; the scale is the float32 of the file."""
    exact = Fraction(float(np.float32(scale[0])))
    return [[exact * (int(q) - scale[1]) for q in row] for row in found]


def best(found: AnyArray, k: int) -> AnyArray:
    """The classes with the largest values, of equals the first one first."""
    return np.argsort(-found.astype(np.int64), axis=1, kind="stable")[:, :k]


def of_many(_given: AnyArray, made: AnyArray, compiled: Compiled) -> AnyArray:
    reached = [[value >= Fraction(1, 2) for value in row] for row in real_values(made, ODD)]
    ranks = np.argmax(made, axis=1)[:, None]
    labels = compiled.decisions[0].labels
    bytes_of = [[len(labels[rank].encode()), labels[rank].encode()[0]] for rank in ranks[:, 0]]
    return np.concatenate(
        [ranks, best(made, 3), reached, [[row[0]] for row in reached], bytes_of], 1
    )


def of_each(_given: AnyArray, made: AnyArray, _compiled: Compiled) -> AnyArray:
    limits = [Fraction(each) for each in ("-0.5", "0", "0.25", "0.7578125")]
    reached = [
        [value >= limit for value, limit in zip(row, limits, strict=True)]
        for row in real_values(made, HALF)
    ]
    return np.concatenate([best(made, 4), reached], 1)


def of_one(_given: AnyArray, made: AnyArray, _compiled: Compiled) -> AnyArray:
    reached = [[row[0] >= Fraction("-1.3")] for row in real_values(made, ODD)]
    return np.concatenate([reached, reached], 1)


def of_score(given: AnyArray, _made: AnyArray, _compiled: Compiled) -> AnyArray:
    """Nothing yet: `score_is_near` judges it."""
    return np.zeros((len(given), 0), np.int64)


CASES = {
    "many": Case(
        requantizing(10, ODD, ODD),
        MANY,
        10,
        (
            "many_decide(@)",
            *(f"classes[{place}]" for place in range(3)),
            *(f"many_reaches_threshold(@, {place})" for place in range(10)),
            "many_is_yes(@)",
            "length",
            "(unsigned char)label[0]",
            *(f"many_fixed_point(@, {place})" for place in range(10)),
        ),
        of_many,
        "int16_t classes[MANY_TOP_K]; many_top_k(@, classes); char label[MANY_LABEL_BYTES];"
        "many_copy_label(many_decide(@), label); int length = 0; while (label[length]) length++;",
    ),
    "each": Case(
        requantizing(4, HALF, HALF),
        EACH,
        4,
        (
            *(f"classes[{place}]" for place in range(4)),
            *(f"each_reaches_threshold(@, {place})" for place in range(4)),
            *(f"each_fixed_point(@, {place})" for place in range(4)),
        ),
        of_each,
        "int16_t classes[EACH_TOP_K]; each_top_k(@, classes);",
    ),
    "one": Case(
        requantizing(1, ODD, ODD),
        ONE,
        1,
        ("one_reaches_threshold(@)", "one_is_alarm(@)", "one_fixed_point(@)"),
        of_one,
    ),
    "score": Case(
        requantizing(ELEMENTS, GIVEN, MADE),
        SCORE,
        ELEMENTS,
        ("score_reaches_threshold(@)", "score_score(@)"),
        of_score,
    ),
}
"""By the model's name in C."""


def compiled_cases(target: Target, folder: Path) -> dict[str, Compiled]:
    """Every model with its description."""
    return {
        name: decided(case.model, case.text, folder, name=name, target=target)
        for name, case in CASES.items()
    }


def samples_of(case: Case) -> AnyArray:
    """Every value at every place, with ties, then random ones."""
    generator = np.random.default_rng(case.count)
    samples = generator.integers(-128, 128, (SAMPLES, case.count))
    samples[::3] //= 64
    samples[:, 0] = np.arange(-128, 128)
    samples[::5] = np.arange(-128, 128)[::5, None]
    samples[1], samples[2] = -128, 127
    return samples.astype(np.int8)


def probes_of(compiled: dict[str, Compiled]) -> list[Probe]:
    return [Probe(compiled[name], case.expressions, case.before) for name, case in CASES.items()]


@pytest.mark.parametrize("part", [SANITIZED, "atmega328", "nrf52840", "riscv32imc"])
def test_equals_the_reference(part: str, tmp_path: Path) -> None:
    target = target_or_skip(part)
    compiled = compiled_cases(target, tmp_path)
    samples = [samples_of(case) for case in CASES.values()]
    found = run_probes(target, probes_of(compiled), samples, tmp_path)
    for (name, case), given, result in zip(CASES.items(), samples, found, strict=True):
        made = outputs_of(case.model, given, 1, case.count)
        expected = case.expected(given, made, compiled[name])
        width = expected.shape[1]
        np.testing.assert_array_equal(result[:, :width], expected, name)
        if name == "score":
            score_is_near(compiled[name], result, given, made)
        else:
            fixed_point_is_near(compiled[name], result[:, width:], made)


def fixed_point_is_near(compiled: Compiled, found: AnyArray, made: AnyArray) -> None:
    """Every value, and one of the 256 is as far away as the bound says."""
    header = compiled.files[f"{compiled.interface.name}.h"]
    (bits,) = map(int, re.findall(r"_FRACTION_BITS (\d+)", header))
    port = compiled.interface.outputs[0]
    real = real_values(made, (port.scale, port.zero_point))
    errors = [
        abs(Fraction(int(number), 2**bits) - value)
        for numbers, values in zip(found, real, strict=True)
        for number, value in zip(numbers, values, strict=True)
    ]
    told = re.findall(r"differs from that by at most ([\d.eE+-]+)\.", header)
    bound = Fraction(told[0]) if told else Fraction(0)
    assert max(errors) <= bound <= Fraction(101, 100) * max(errors)


def score_is_near(compiled: Compiled, found: AnyArray, given: AnyArray, made: AnyArray) -> None:
    """The exact mean squared difference, and the threshold on what the C has of it."""
    header = compiled.files["score.h"]
    (bits,) = map(int, re.findall(r"_FRACTION_BITS (\d+)", header))
    (bound,) = re.findall(r"both tensors by at most ([\d.eE+-]+)\.", header)
    pairs = zip(real_values(given, GIVEN), real_values(made, MADE), strict=True)
    for (one, other), (is_reached, score) in zip(pairs, found.tolist(), strict=True):
        squares = [(a - b) ** 2 for a, b in zip(one, other, strict=True)]
        mean = sum(squares, Fraction(0)) / len(squares)
        assert abs(Fraction(score, 2**bits) - mean) <= Fraction(bound)
        assert is_reached == (Fraction(score, 2**bits) >= Fraction("0.3"))
    assert {0, 1} == {*found[:, 0].tolist()}


def symbols_of(file: Path) -> set[str]:
    """The names of an ELF file's functions and of what it lacks."""
    with file.open("rb") as opened:
        table = ELFFile(opened).get_section_by_name(".symtab")
        assert isinstance(table, SymbolTableSection)
        return {symbol.name for symbol in table.iter_symbols()}


@pytest.mark.parametrize("part", targets_of_each_kind())
def test_no_real_numbers(part: str, tmp_path: Path) -> None:
    """In no ELF with decisions is a function of floating-point numbers; one goes from raw values of
    a sensor to a class."""
    target = target_or_skip(part)
    compiled = compiled_cases(target, tmp_path)
    both = decided(CASES["many"].model, RAW + MANY, tmp_path, name="both", target=target)
    call = "static const uint8_t raw[BOTH_PUT_RAW_BYTES] = { 7 }; both_put_raw(@, raw);"
    probe = Probe(both, ("both_decide(@)",), f"{call} both_invoke(@);")
    image = build_probes(target, [*probes_of(compiled), probe], tmp_path)
    assert {"both_put_raw", "both_decide"} <= symbols_of(image.elf)
    assert sorted(filter(FLOAT.match, symbols_of(image.elf))) == []


@pytest.mark.parametrize("part", ["atmega328", "nrf51", "riscv32imc", "esp8266"])
def test_real_numbers_would_be_found(part: str, tmp_path: Path) -> None:
    """A product and both conversions, on parts without an instruction for them."""
    body = "bad_value = (int8_t)((float)bad_value * 1.5f);"
    image = build_snippet(target_or_skip(part), tmp_path, invoke=body)
    assert len([*filter(FLOAT.match, symbols_of(image.elf))]) >= 3
