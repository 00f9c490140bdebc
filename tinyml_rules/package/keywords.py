"""keywords.txt of an Arduino library: the words that the editor colours."""

from __future__ import annotations

import re


def keywords(name: str, header: str) -> str:
    """Lines of a word, a tab and what it is, for each function and each constant of a model's
    header, in its order; the tab may not be blanks."""
    functions = re.findall(rf"^\w[\w *]*?\b({name}_\w+)\(", header, re.M)
    constants = re.findall(rf"^#define ({name.upper()}_(?!H$)\w+)(?=\s|$)", header, re.M)
    words = [f"{word}\tKEYWORD2" for word in dict.fromkeys(functions)]
    words += [f"{word}\tLITERAL1" for word in dict.fromkeys(constants)]
    return "\n".join(words) + "\n"
