"""What the page about editors shows of the tasks of VS Code."""

from __future__ import annotations

from tinyml_rules.editors.vscode import FOLDER, vscode_files

_END_OF_A_TASK = "\n    },\n"


def first_task() -> str:
    """The file as far as its first task, as a block of a page."""
    text = vscode_files("sine.tflite", "atmega328")[f"{FOLDER}/tasks.json"]
    shown, end, _ = text.partition(_END_OF_A_TASK)
    return f"```jsonc\n{shown}{end}    // run, size, report\n  ]\n}}\n```"
