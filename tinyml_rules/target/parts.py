"""The supported parts, by the sizes of their memories."""

from __future__ import annotations

from tinyml_rules.errors import TinymlError
from tinyml_rules.target.target import Target, default_search, load_target, target_names

FLASH, RAM = "flash", "RAM"


def own_targets() -> tuple[str, ...]:
    """The targets with tests and figures of their own: all but those that are like another
    one, with the same C for the same core."""
    return tuple(name for name in target_names() if not load_target(name).like)


def room_of(part: Target) -> dict[str, int]:
    """Bytes of flash and RAM of a part."""
    assert part.memory
    return {FLASH: part.memory.flash.bytes, RAM: part.memory.ram.bytes}


def parts_beside(target: Target) -> list[Target]:
    """All other targets with memory, the smallest first, those of the same architecture before the
    rest."""
    search = (*default_search(), target.folders[0].parent)
    parts = []
    for name in target_names(search=search):
        try:
            part = load_target(name, search=search)
        except TinymlError:
            continue  # a user who asks for that part gets its error; here it is about another one
        if part.memory is not None and name != target.name:
            parts.append(part)

    def order(part: Target) -> tuple[bool, int, int, str]:
        room = room_of(part)
        return (part.architecture != target.architecture, room[RAM], room[FLASH], part.name)

    return sorted(parts, key=order)
