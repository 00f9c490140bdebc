"""The proof of a plan shares no code with what made it."""

from __future__ import annotations

from tests.test_house_rules import PACKAGE, imported_modules

PROOF = (
    "verify.py",
    "verify_layer.py",
    "verify_stream.py",
    "verify_slide.py",
    "verify_pieces.py",
    "verify_group.py",
    "contents.py",
)
SHARED = {
    *("tinyml_rules.ir.buffers", "tinyml_rules.ir.program", "tinyml_rules.ir.window"),
    *("tinyml_rules.plan.memory_plan", "tinyml_rules.plan.tasks"),
    *("tinyml_rules.plan.contents", "tinyml_rules.plan.verify_layer"),
    *("tinyml_rules.ir.group", "tinyml_rules.plan.verify_group"),
    "tinyml_rules.plan.verify_pieces",
    *("tinyml_rules.plan.verify_slide", "tinyml_rules.plan.verify_stream"),
}
"""The model, the plan and the tasks to be proved, and the proof's own modules."""


def test_it_imports_nothing_of_the_planner() -> None:
    """A mistake in how rows are counted or placed would else be made twice."""
    for name in PROOF:
        found = {
            module
            for module in imported_modules(PACKAGE / "plan" / name)
            if module.startswith("tinyml_rules.") and module.count(".") == 2
        }
        assert found <= SHARED, name
