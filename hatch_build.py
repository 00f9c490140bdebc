"""The project's page in a registry: README.md, with links that lead out of the page made absolute.

A registry shows the README without the files around it.  The base of the links is the one address
of `[project.urls]`, at the tag of the version; nothing but packaging runs this.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface

LINK = re.compile(r'(\]\(|href="|src="|srcset=")(?![a-z][a-z0-9+.-]*:|#)([^)"\s]+)')
"""The target of a link or picture in Markdown or HTML, unless it is absolute or on the page."""
PICTURES = (".svg", ".png")


class AbsoluteLinks(MetadataHookInterface):
    """Sets `readme`, which pyproject.toml declares as dynamic."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Read README.md and rewrite it; hatchling has put in the version before."""
        (address,) = metadata["urls"].values()
        tag = f"v{metadata['version']}"
        text = Path(self.root, "README.md").read_text(encoding="utf-8")

        def absolute(link: re.Match[str]) -> str:
            folder = "raw" if link[2].endswith(PICTURES) else "blob"
            return f"{link[1]}{address}/{folder}/{tag}/{link[2]}"

        metadata["readme"] = {
            "content-type": "text/markdown",
            "text": LINK.sub(absolute, text),
        }
