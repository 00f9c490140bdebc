"""GNU make's $(file <…) keeps a file's last newline where its buffer had to move for the text.

Seen with version 4.3, where it depends on the lengths of all that was read before; the newline
ended a condition of tinyml.mk in its middle.
"""

from __future__ import annotations

import subprocess
from pathlib import Path

from tinyml_rules import frontends

RULES = Path(frontends.__file__).parent / "make" / "tinyml.mk"
NAMES = ["y" * length for length in range(1, 81)]
CALLS = """\
$(call tinyml_quantize,{name},float.tflite,cal.npy,--scales power-of-two)
$(call tinyml_model,{name},$(call tinyml_quantized,{name}),host)
$(call tinyml_accuracy,{name},labelled.npz,--min 1)
"""


def test_conditions_hold_for_names_of_any_length(tmp_path: Path) -> None:
    """Models of 1 to 80 letters whose inputs have changed; nothing is compiled."""
    calls = "".join(CALLS.format(name=name) for name in NAMES)
    (tmp_path / "Makefile").write_text(f"include {RULES}\n{calls}all: ; @:\n")
    for file in ("float.tflite", "cal.npy", "labelled.npz"):
        (tmp_path / file).write_text(file)
    for name in NAMES:
        folder = tmp_path / "tinyml" / name
        folder.mkdir(parents=True)
        (folder / f"{name}.tflite").write_text("quantized")
    for _ in range(2):
        words = ["make", "-s", "TINYML=true", "all"]
        done = subprocess.run(words, check=False, cwd=tmp_path, capture_output=True, text=True)
        assert (done.returncode, done.stderr) == (0, "")
        for name in NAMES:
            for kind in ("sum", "tflite.sum", "accuracy.sum"):
                (tmp_path / "tinyml" / name / f"{name}.{kind}").write_text("another one\n")
