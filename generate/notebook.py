"""The example notebook, made of its page: blocks of Python are cells of code."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

PAGE = "docs/how-to/notebook.md"
NOTEBOOK = "examples/notebook/digits.ipynb"

_BLOCK = re.compile(r"^```(\w*)\n(.*?)^```\n", re.M | re.S)
_PICTURE = re.compile(r"^!\[.*\n\n?", re.M)
_LINK = re.compile(r"\[([^\]]+)\]\([^)]+\)")


def notebook_files(root: Path) -> dict[str, str]:
    """{path from the project's folder: what the file has to hold}."""
    cells = list(_cells((root / PAGE).read_text(encoding="utf-8")))
    found = {
        "cells": [{"id": f"cell-{number}", **cell} for number, cell in enumerate(cells)],
        "metadata": {"language_info": {"name": "python"}},
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    return {NOTEBOOK: json.dumps(found, indent=1, ensure_ascii=False) + "\n"}


def _cells(page: str) -> Iterator[dict[str, Any]]:
    """What the cells print is left to those who run them, and links lead out of the page."""
    text = _LINK.sub(r"\1", _PICTURE.sub("", page))
    place = 0
    for block in [*_BLOCK.finditer(text), None]:
        words = text[place : block.start() if block else len(text)].strip()
        if words:
            yield {"cell_type": "markdown", "metadata": {}, "source": _lines(words)}
        if block is None:
            return
        place = block.end()
        if block[1] == "python":
            source = _lines(block[2].rstrip())
            empty: dict[str, Any] = {"execution_count": None, "metadata": {}, "outputs": []}
            yield {"cell_type": "code", **empty, "source": source}


def _lines(text: str) -> list[str]:
    return text.splitlines(keepends=True)
