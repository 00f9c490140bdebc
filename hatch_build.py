"""What packaging adds: the project's page in a registry, and the bill of materials of the wheel.

A registry shows README.md without the files around it, so that links that lead out of the page are
made absolute.  The base of the links is the one address of `[project.urls]`, at the tag of the
version.  The bill of materials says what the wheel is made of and needs, as CycloneDX, in the
place of PEP 770.  Nothing but packaging runs this.
"""

from __future__ import annotations

import json
import re
import shutil
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface
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


SBOM = "tinyml-rules.cdx.json"
"""Its name in `.dist-info/sboms/`."""
DEVELOPMENT = ("test",)
"""Extras for those who work on the package, not with it."""
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")


class BillOfMaterials(BuildHookInterface[Any]):
    """Adds the bill of materials to the wheel: without a clock, so that two builds are the same."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Write it where the build takes it from; an editable install has no use for it."""
        if self.target_name != "wheel" or version == "editable":
            return
        core = self.metadata.core
        text = bill_of_materials(
            name=core.name,
            version=self.metadata.version,
            license_id=core.license_expression,
            address=next(iter(core.urls.values())),
            needed=core.dependencies,
            optional=[
                needed
                for extra, needed in core.optional_dependencies.items()
                if extra not in DEVELOPMENT
            ],
        )
        self._folder = Path(tempfile.mkdtemp())
        file = self._folder / SBOM
        file.write_text(text, encoding="utf-8", newline="\n")
        build_data["sbom_files"].append(str(file))

    def finalize(self, _version: str, _build_data: dict[str, Any], _artifact: str) -> None:
        """Remove what `initialize` wrote."""
        folder = getattr(self, "_folder", None)
        if folder is not None:
            shutil.rmtree(folder)


def bill_of_materials(
    *,
    name: str,
    version: str,
    license_id: str,
    address: str,
    needed: Sequence[str],
    optional: Iterable[Sequence[str]],
) -> str:
    """A CycloneDX 1.6 document: the package, and each library that it asks for itself, with the
    versions that it takes.  Nothing of others is inside the wheel."""
    own = f"pkg:pypi/{name}@{version}"
    components = [_component(each, "required") for each in needed]
    components += [_component(each, "optional") for extra in optional for each in extra]
    required = [each["bom-ref"] for each in components if each["scope"] == "required"]
    document = {
        "$schema": "http://cyclonedx.org/schema/bom-1.6.schema.json",
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {
            "component": {
                "type": "application",
                "bom-ref": own,
                "name": name,
                "version": version,
                "purl": own,
                "licenses": [{"license": {"id": license_id}}],
                "externalReferences": [{"type": "vcs", "url": address}],
            },
        },
        "components": components,
        "dependencies": [
            {"ref": own, "dependsOn": required},
            *({"ref": each["bom-ref"]} for each in components),
        ],
        "compositions": [
            {"aggregate": "complete", "assemblies": [own]},
            {"aggregate": "incomplete", "dependencies": required},
        ],
    }
    return json.dumps(document, indent=2) + "\n"


def _component(requirement: str, scope: str) -> dict[str, Any]:
    found = _NAME.match(requirement)
    assert found is not None, requirement
    name = re.sub(r"[-_.]+", "-", found[0]).lower()
    return {
        "type": "library",
        "bom-ref": f"pkg:pypi/{name}",
        "name": name,
        "scope": scope,
        "purl": f"pkg:pypi/{name}",
        "properties": [{"name": "tinyml-rules:requirement", "value": requirement}],
    }
