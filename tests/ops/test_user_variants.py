"""Kernels of a user's operator that are made of one template: words of its own."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.ops.user_operators import gain_model, write_gain
from tinyml_rules.compiler import Compiled, compile_model
from tinyml_rules.errors import UsageError
from tinyml_rules.ops import load_operators
from tinyml_rules.request.request import Request
from tinyml_rules.target.target import load_target

VARIANT = """\
from tinyml_rules.ir.program import Work
from tinyml_rules.ir.words import Variant


@dataclass(frozen=True)
class Limit(Variant):
    {word}: int

"""
KERNEL = (
    'Kernel(name="gain", template=Path(__file__).parent / "gain.c.j2", form=Form.WHOLE, '
    "variant=Limit({word}=126))"
)


def _compiled(folder: Path, word: str) -> Compiled:
    """An operator whose template says the word in place of the limit of int8."""
    gain = write_gain(
        folder / "gain",
        kernel=KERNEL.format(word=word),
        changes={
            "__init__.py": ("import OPERANDS,", "import OPERANDS, Limit,"),
            "op.py": (
                "from tinyml_rules.ir.program import Work\n",
                VARIANT.format(word=word),
            ),
            "gain.c.j2": ("value > 127 ? 127", "value > {{ most }} ? {{ most }}"),
        },
    )
    request = Request(gain_model(), "model", load_target("host"), operators=load_operators([gain]))
    return compile_model(request)


def test_own_word(tmp_path: Path) -> None:
    """A field of the variant is a word of the template."""
    assert "value > 126 ? 126" in _compiled(tmp_path, "most").files["model.c"]


def test_other_word(tmp_path: Path) -> None:
    """One that the template says, and no field has."""
    with pytest.raises(UsageError, match=r"gain\.c\.j2:\d+: error: .*'most' is undefined"):
        _compiled(tmp_path, "limit")


def test_word_of_every_template(tmp_path: Path) -> None:
    """A variant cannot have it."""
    with pytest.raises(UsageError, match=r"the word 'pixels' is there already, expected another"):
        _compiled(tmp_path, "pixels")
