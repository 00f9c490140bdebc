"""Emulators and scripts of a page as one text each, made by esbuild from pinned packages of npm."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from tinyml_rules.errors import ToolError
from tinyml_rules.system.computer import shell_word
from tinyml_rules.system.files import read_file
from tinyml_rules.system.process import run_tool

PACKAGES: Mapping[str, str] = {"avr8js": "0.21.1", "esbuild": "0.28.2", "rp2040js": "1.4.1"}
"""The npm packages of a page."""
MACHINES: Mapping[str, str] = {
    "avr8js": "emulator/avr.js",
    "rp2040js": "emulator/cortex_m0plus.js",
}
"""By emulator, the script that makes a machine of it."""
MODULES = "node_modules"
"""The folder in which npm installs packages."""
_HERE = Path(__file__).resolve().parent
_FILES: Mapping[str, str] = {
    "avr8js": "avr8js/dist/esm/index.js",
    "rp2040js-core": "rp2040js/dist/esm/cortex-m0-core.js",
}
"""What our scripts import, and its path; of rp2040js the core alone."""
_ESBUILD = "esbuild/bin/esbuild"
_TARGET = "es2022"


@dataclass(frozen=True)
class Emulators:
    """A folder with the packages."""

    folder: Path

    def bundle(self, entry: str, emulator: str, *options: str) -> str:
        """One of our scripts with all that it imports, `machine` being that of the emulator; the
        same packages give the same text.  `options` are more of esbuild's.  Raises ToolError where
        it fails.
        """
        files = {name: self.folder / file for name, file in _FILES.items()}
        files["machine"] = _HERE / MACHINES[emulator]
        aliases = [f"--alias:{name}={file}" for name, file in files.items()]
        command = [
            str(self.folder / _ESBUILD),
            str(_HERE / entry),
            *("--bundle", "--minify", "--charset=utf8", "--legal-comments=none"),
            *(f"--target={_TARGET}", "--format=iife", "--log-level=error"),
            *aliases,
            *options,
        ]
        return run_tool(command, where=entry).strip()

    def licence(self, package: str) -> str:
        """The text of a package's licence."""
        return read_file(self.folder / package / "LICENSE").decode()


def find_emulators(folder: Path) -> Emulators:
    """The packages below `folder`, in its node_modules; raises ToolError where one is missing."""
    modules = folder.resolve() / MODULES
    missing = [name for name in PACKAGES if not (modules / name / "package.json").is_file()]
    if missing:
        wanted = " ".join(f"{name}@{version}" for name, version in PACKAGES.items())
        what = f"lacks the npm packages {', '.join(missing)}, expected them to make a page"
        command = f"npm install --prefix {shell_word(str(folder.resolve()))} {wanted}"
        raise ToolError.at(str(modules), what, hint=f"run: {command}")
    return Emulators(modules)
