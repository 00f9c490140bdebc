"""What a schema says of one key besides its type: the texts that an editor shows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def said(
    shape: Mapping[str, Any],
    text: str,
    *,
    default: Any = None,
    example: Any = None,
    words: Mapping[str, str] | None = None,
) -> dict[str, Any]:
    """The shape of a value with its description, its default and an example.

    `words`: the meaning of each that is taken, which Taplo shows beside it.
    """
    found: dict[str, Any] = {"description": _with_words(text, words or {}), **shape}
    if default is not None:
        found["default"] = default
    if example is not None:
        found["examples"] = [example]
    if words and "enum" in shape:
        found["x-taplo"] = {"docs": {"enumValues": [words[word] for word in shape["enum"]]}}
    return found


def _with_words(text: str, words: Mapping[str, str]) -> str:
    """Markdown: the words with their meanings as a list."""
    if not words or len(words) > _FEW:
        return text
    return "\n".join([f"{text}:\n", *(f"- `{word}`: {what}" for word, what in words.items())])


_FEW = 6
"""The most words that a text lists; where there are more, each has only its own."""
