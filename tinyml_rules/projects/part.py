"""What the build file of a project has to say of its part: the compiler, flags, files to link."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from tinyml_rules.errors import UsageError
from tinyml_rules.firmware.support import STACK_GUARD, link_memory, support_sources
from tinyml_rules.target.target import Target

FOLDER = "part"
"""Of the startup code and the linker script in a project."""
_SECTIONS = ("-ffunction-sections", "-fdata-sections")
_SCRIPT = "-Wl,--script="


@dataclass(frozen=True)
class Part:
    """`prefix` of the compiler's programs.  `script`: the linker script, `sources`: C files of the
    startup code, as paths in the project; empty for this computer, and for AVR, whose compiler has
    both."""

    prefix: str = ""
    compile_flags: tuple[str, ...] = ()
    link_flags: tuple[str, ...] = ()
    libraries: tuple[str, ...] = ()
    script: str = ""
    sources: tuple[str, ...] = ()
    files: Mapping[str, str] = field(default_factory=dict)
    """The texts of the files in `part/`, by path."""

    @property
    def headers(self) -> tuple[str, ...]:
        """What the sources include, for build systems that have to be told."""
        return tuple(path for path in self.files if path.endswith(".h"))


def part_of(target: Target) -> Part:
    """The part of a target.  Raises UsageError where no build file can name its compiler."""
    toolchain = target.toolchain
    if target.memory is None:
        return Part()
    if target.architecture == "xtensa":
        what = f"'{target.name}' has startup code and a compiler that only SCons's rules bring"
        hint = "use `init scons`, or `init esp-idf` and its like"
        raise UsageError.at("target", what, hint=hint)
    if target.architecture == "avr":
        flags = tuple(toolchain.machine_flags)
        return Part(toolchain.prefix, (*flags, *_SECTIONS), (*flags, "-Wl,--gc-sections"), ("m",))
    return _with_startup(target)


def _with_startup(target: Target) -> Part:
    toolchain = target.toolchain
    script = toolchain.link_script
    assert script is not None, f"{target.name} has no linker script"
    sources = support_sources(target, kind="minimal")
    texts = {each: each.read_text(encoding="utf-8") for each in (script, *sources)}
    if any(f'"{STACK_GUARD.name}"' in each for each in texts.values()):
        texts[STACK_GUARD] = STACK_GUARD.read_text(encoding="utf-8")
    before, libraries = toolchain.link_flags_around_objects(link_memory(target, "minimal"))
    return Part(
        prefix=toolchain.prefix,
        compile_flags=(*toolchain.compile_flags, *_SECTIONS),
        link_flags=tuple(each for each in before if not each.startswith(_SCRIPT)),
        libraries=tuple(libraries),
        script=_place(script),
        sources=tuple(map(_place, sources)),
        files={_place(each): text for each, text in texts.items()},
    )


def _place(file: Path) -> str:
    return f"{FOLDER}/{file.name}"
