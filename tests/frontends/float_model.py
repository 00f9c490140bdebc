"""A small float model, samples of its input, and a build of a firmware by each build system."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from tests.frontends.builds import Done, run
from tests.frontends.example_builds import MESON
from tests.support.tflm import tflm_outputs
from tests.support.warm_python import path_with, run_module, warm_in_cmake
from tinyml_rules.cli import main
from tinyml_rules.model_file.writer import ModelSpec, OperatorSpec, TensorSpec, build_model

SHAPE = (1, 4, 4, 1)
CLASSES = 3
MAIN = """\
#include <stdio.h>

#include "small.h"

int main(void)
{
    for (int sample = 0; sample < 8; sample++) {
        for (int place = 0; place < 16; place++) {
            small_input()[place] = (int8_t)(place * 37 + sample * 53);
        }
        small_invoke();
        for (int number = 0; number < 3; number++) {
            printf("%d\\n", small_output()[number]);
        }
    }
    return 0;
}
"""
SCONS = """\
env = Environment(
    tools=["default", "tinyml"],
    toolpath=[PyPackageDir("tinyml_rules.frontends.scons")],
    TINYML_ACCURACY={"vectors": "labelled.npz", "min": 1},
    TINYML_TARGET="host",
)
small = env.TinymlQuantize("small", "float.tflite", calibration="cal.npy", scales="power-of-two")
env.Program("build/fw", ["main.c", small])
"""
CMAKE = """\
cmake_minimum_required(VERSION 3.20)
project(firmware C)
find_package(TinymlRules REQUIRED)
tinyml_quantize(small_int8 FLOAT float.tflite CALIBRATION cal.npy SCALES power-of-two)
tinyml_add_model(small MODEL small_int8 TARGET host)
tinyml_add_accuracy(small VECTORS labelled.npz MIN 1)
add_executable(fw main.c)
target_link_libraries(fw PRIVATE small)
"""
MAKE = """\
include $(shell tinyml_rules where make)/tinyml.mk
$(call tinyml_quantize,small,float.tflite,cal.npy,--scales power-of-two)
$(call tinyml_model,small,$(call tinyml_quantized,small),host)
$(call tinyml_accuracy,small,labelled.npz,--min 1)
OBJECTS := $(TINYML_SOURCES:.c=.o) main.o
CPPFLAGS := $(TINYML_INCLUDES)

build/fw: $(OBJECTS)
	mkdir -p build
	$(CC) $^ -o $@

$(OBJECTS): | $(TINYML_HEADERS)
"""


def float_model() -> bytes:
    """x[1, 4, 4, 1] -> CONV_2D 3 x 3, RELU -> RESHAPE -> FULLY_CONNECTED -> scores[1, 3]."""
    random = np.random.default_rng(2)

    def weights(name: str, *shape: int) -> TensorSpec:
        values = random.normal(0, 0.5, shape).astype(np.float32)
        return TensorSpec(name, shape, "float32", data=values)

    spec = ModelSpec(
        tensors=(
            TensorSpec("x", SHAPE, "float32"),
            weights("kernel", 2, 3, 3, 1),
            weights("offset", 2),
            TensorSpec("image", (1, 2, 2, 2), "float32"),
            TensorSpec("shape", (2,), "int32", data=np.array([1, 8], np.int32)),
            TensorSpec("vector", (1, 8), "float32"),
            weights("dense", CLASSES, 8),
            weights("bias", CLASSES),
            TensorSpec("scores", (1, CLASSES), "float32"),
        ),
        operators=(
            OperatorSpec(
                "CONV_2D",
                (0, 1, 2),
                (3,),
                {"Padding": 1, "StrideH": 1, "StrideW": 1, "FusedActivationFunction": 1},
            ),
            OperatorSpec("RESHAPE", (3, 4), (5,), {"NewShape": (1, 8)}),
            OperatorSpec("FULLY_CONNECTED", (5, 6, 7), (8,), {}),
        ),
        inputs=(0,),
        outputs=(8,),
    )
    return build_model(spec)


def calibration(last: float = 1.0) -> np.ndarray[tuple[int, ...], np.dtype[np.float32]]:
    """Samples of the input; `last`: its last value."""
    values = np.random.default_rng(3).uniform(-1, 1, (24, *SHAPE[1:])).astype(np.float32)
    values[-1, -1, -1, -1] = last
    return values


def quantized(folder: Path) -> bytes:
    """What the command line makes of the files in a folder."""
    out = folder / "expected" / "small.tflite"
    words = ["quantize", "float.tflite", "--calibration", "cal.npy", "--scales", "power-of-two"]
    files = {word: str(folder / word) for word in words if "." in word}
    assert main([*(files.get(word, word) for word in words), "--out", str(out), "--quiet"]) == 0
    return out.read_bytes()


def answers_of(model: bytes) -> list[int]:
    """What the program is to print, by TFLM."""
    values = [[place * 37 + sample * 53 for place in range(16)] for sample in range(8)]
    samples = np.array(values).astype(np.int8).reshape(8, *SHAPE)
    return [int(each) for each in tflm_outputs(model, [samples])[0].reshape(-1)]


def write_labels(folder: Path, model: bytes, *, wrong: int = 0) -> None:
    """labelled.npz, with the answers of TFLM as labels but for the first `wrong`."""
    samples = np.random.default_rng(4).integers(-128, 128, (12, *SHAPE), np.int8)
    labels = tflm_outputs(model, [samples])[0].reshape(12, CLASSES).argmax(axis=1)
    labels[:wrong] = (labels[:wrong] + 1) % CLASSES
    names = np.array(["left", "right", "still"])
    np.savez(folder / "labelled.npz", x=samples, labels=labels, names=names)


@dataclass(frozen=True)
class Way:
    """A build file, the commands that set a build up and build, and where its model lies."""

    file: str
    text: str
    set_up: tuple[str, ...]
    build: tuple[str, ...]
    generated: str
    program: str = "build/fw"

    def run(self, folder: Path, python: Path, *, sets_up: bool = False) -> Done:
        """Run a command in an activated environment, whatever comes of it."""
        variables = {"PATH": path_with(python)}
        words = self.set_up if sets_up else self.build
        if words[0] == "python":
            return run_module(python, words[2], words[3:], folder=folder, variables=variables)
        cmake = [warm_in_cmake(python)] if words[0] == "cmake" else []
        return run([*words, *cmake], folder, variables=variables)


def meson_text() -> str:
    """What the page on Meson shows, in a project."""
    from tests.frontends.test_meson import snippets  # noqa: PLC0415

    (shown,) = [text for text in snippets() if "'quantize'" in text]
    return f"project('fw', 'c')\n{shown}executable('fw', 'main.c', small[0], small[1])\n"


def ways() -> Mapping[str, Way]:
    """By build system."""
    scons = ("python", "-m", "SCons", "-Q")
    cmake = ("cmake", "-B", "build", "-G", "Ninja")
    ninja = ("ninja", "-C", "build")
    meson = (*MESON, "setup", "build")
    return {
        "scons": Way("SConstruct", SCONS, (), scons, "build/quantized/small.tflite"),
        "cmake": Way(
            "CMakeLists.txt", CMAKE, cmake, ninja, "build/tinyml/small_int8/small_int8.tflite"
        ),
        "make": Way("Makefile", MAKE, (), ("make",), "tinyml/small/small.tflite"),
        "meson": Way("meson.build", meson_text(), meson, ninja, "build/small.tflite"),
    }
