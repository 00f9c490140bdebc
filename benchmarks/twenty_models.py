"""What twenty models cost a build: `python -m benchmarks.twenty_models`.

A build with nothing to do beside `scons --version`, measured in turn so that both see the same
machine, and the compile step alone, in this process.  The least of several runs counts.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from tinyml_rules.compiler import compile_model
from tinyml_rules.request.request import Request
from tinyml_rules.target.target import load_target

PROJECT = Path(__file__).resolve().parents[1]
MODEL = PROJECT / "models" / "sine" / "sine.tflite"
COUNT = 20
RUNS = 7
TOOL = PROJECT / "tinyml_rules" / "frontends" / "scons"
HEAD = f"""\
import sys
sys.path.insert(0, {str(PROJECT)!r})
env = Environment(tools=["default", "tinyml"], toolpath=[{str(TOOL)!r}], TINYML_TARGET="atmega328")
models = [f"net_{{number}}.tflite" for number in range({COUNT})]
"""
BUILDS = {
    "their C": "for model in models: env.TinymlModel(model)",
    "one program": 'env.Program("fw", ["main.c", *models])',
    "a firmware each": "for model in models: env.TinymlFirmware(model)",
}


def main() -> None:
    """Print the figures."""
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        for number in range(COUNT):
            (folder / f"net_{number}.tflite").write_bytes(MODEL.read_bytes())
        (folder / "main.c").write_text("int main(void) { return 0; }\n")
        for title, lines in BUILDS.items():
            (folder / "SConstruct").write_text(f"{HEAD}{lines}\n")
            scons(folder)
            version_s, nothing_s = least(lambda: scons(folder, "--version"), lambda: scons(folder))
            print(
                f"{COUNT} models, {title}: nothing to do {nothing_s:.3f} s, scons --version "
                f"{version_s:.3f} s: {nothing_s - version_s:.3f} s more"
            )
    model, target = MODEL.read_bytes(), load_target("atmega328")
    (each_s,) = least(lambda: compile_model(Request(model, "sine", target)))
    print(f"the compile step: {each_s:.4f} s a model")


def scons(folder: Path, *words: str) -> None:
    """Run scons to its end."""
    command = [sys.executable, "-m", "SCons", "-Q", "-j2", *words]
    subprocess.run(command, cwd=folder, check=True, stdout=subprocess.DEVNULL)


def least(*functions: Callable[[], object]) -> list[float]:
    """Seconds that each takes, the least of several runs, taken in turn."""
    seconds = [float("inf")] * len(functions)
    for _ in range(RUNS):
        for place, function in enumerate(functions):
            start = time.perf_counter()
            function()
            seconds[place] = min(seconds[place], time.perf_counter() - start)
    return seconds


if __name__ == "__main__":
    main()
