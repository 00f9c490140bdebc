"""Two threads run one model at the same time, each in its own arena: every output is TFLM's, and
ThreadSanitizer sees no byte that both use."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import numpy as np
import pytest

from tests.arena.models import compiled
from tests.conftest import PROJECT, ZooModel
from tests.support.hand_written import target_or_skip
from tinyml_rules.ir.interface import ArenaMode

INFERENCES = 200
"""Of each thread; under the sanitizer, which makes them some fifty times slower, `FEW`."""
FEW = 6
SHARED = "static _Alignas(16) unsigned char arenas[1][KWS_ARENA_BYTES];"
OWN = SHARED.replace("[1]", "[2]")
PROGRAM = """\
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include "kws.h"
#include "samples.h"
{arenas}
static int wrong[2];

static void *work(void *which)
{{
    const int thread = *(const int *)which;
    unsigned char *arena = arenas[thread % (int)(sizeof arenas / sizeof arenas[0])];
    for (int i = 0; i < {inferences}; i++) {{
        const int sample = (thread ? {inferences} - i : i) % SAMPLES;
        memcpy(kws_input(arena), inputs[sample], KWS_INPUT_COUNT);
        kws_invoke(arena);
        wrong[thread] += memcmp(kws_output(arena), outputs[sample], KWS_OUTPUT_COUNT) != 0;
    }}
    return NULL;
}}

int main(void)
{{
    pthread_t threads[2];
    int numbers[2] = {{0, 1}};
    for (int i = 0; i < 2; i++) {{
        pthread_create(&threads[i], NULL, work, &numbers[i]);
    }}
    for (int i = 0; i < 2; i++) {{
        pthread_join(threads[i], NULL);
    }}
    printf("%d %d\\n", wrong[0], wrong[1]);
    return 0;
}}
"""


def samples_header() -> str:
    """Recorded inputs, and TFLM's outputs for them."""
    with np.load(PROJECT / "models" / "kws" / "vectors.npz") as vectors:
        arrays = {"inputs": vectors["input_1"], "outputs": vectors["Identity"]}
    lines = [f"enum {{ SAMPLES = {len(arrays['inputs'])} }};"]
    for name, array in arrays.items():
        rows = array.reshape(len(array), -1)
        text = ", ".join("{" + ", ".join(map(str, row)) + "}" for row in rows.tolist())
        lines.append(f"static const signed char {name}[SAMPLES][{rows.shape[1]}] = {{{text}}};")
    return "\n".join(lines) + "\n"


def built(arenas: str, count: int, flags: list[str], model: Path, folder: Path) -> Path:
    """The program for so many inferences of each thread."""
    made = compiled(model, target_or_skip("host"), ArenaMode.CALLER)
    program = PROGRAM.format(arenas=arenas, inferences=count)
    sources = {**made.files, "main.c": program, "samples.h": samples_header()}
    for name, text in sources.items():
        (folder / name).write_text(text)
    words = ["gcc", "-std=c11", "-O2", "-g", "-pthread", *flags, "main.c", "kws.c", "-o", "threads"]
    subprocess.run(words, cwd=folder, check=True)
    return folder / "threads"


def test_every_output(zoo_model: ZooModel, tmp_path: Path) -> None:
    """Byte for byte, of both threads."""
    program = built(OWN, INFERENCES, [], zoo_model("kws"), tmp_path)
    done = subprocess.run([program], capture_output=True, text=True, check=True)
    assert done.stdout == "0 0\n"


@pytest.mark.parametrize("arenas", [OWN, SHARED], ids=["own", "shared"])
def test_races(arenas: str, zoo_model: ZooModel, tmp_path: Path) -> None:
    """With an arena each there is none; with one for both, the sanitizer finds it."""
    program = built(arenas, FEW, ["-fsanitize=thread"], zoo_model("kws"), tmp_path)
    command = ["setarch", "--addr-no-randomize", str(program)]
    variables = {**os.environ, "TSAN_OPTIONS": "halt_on_error=1"}
    done = subprocess.run(command, env=variables, capture_output=True, text=True, check=False)
    if arenas == OWN:
        assert (done.returncode, done.stdout, done.stderr) == (0, "0 0\n", "")
    else:
        assert "WARNING: ThreadSanitizer: data race" in done.stderr
