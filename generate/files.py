"""Every file that is made from the code and from recorded figures, whole or in parts."""

from __future__ import annotations

from pathlib import Path

from generate.completions import completion_scripts
from generate.notebook import notebook_files
from generate.option_tables import option_tables
from generate.pages import generated_pages
from generate.python_options import python_files
from generate.schemas import schema_files
from generate.target_table import target_tables


def generated_files(root: Path) -> dict[str, str]:
    """{path from the project's folder: what the file has to hold}, from the files under `root`."""
    return {
        **option_tables(),
        **target_tables(),
        **completion_scripts(),
        **python_files(),
        **notebook_files(root),
        **schema_files(),
        **generated_pages(root),
    }


def write_generated(root: Path) -> list[str]:
    """Write every file that is not as `generated_files` has it; returns their paths."""
    texts = {
        name: text
        for name, text in generated_files(root).items()
        if not (root / name).is_file() or (root / name).read_text(encoding="utf-8") != text
    }
    for name, text in texts.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, encoding="utf-8")
    return list(texts)
