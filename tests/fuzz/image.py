"""The image that a firmware is given in the place of its own: a program of libFuzzer, or one that
replays inputs."""

from __future__ import annotations

import hashlib
import hmac
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from tinyml_rules.compiler import compile_model
from tinyml_rules.emit.image import with_key
from tinyml_rules.ir.signing import Signing
from tinyml_rules.model_file.writer import build_model
from tinyml_rules.ops.fully_connected.cases import dense
from tinyml_rules.request.request import Request, Weights
from tinyml_rules.target.target import load_target

SOURCE = Path(__file__).with_suffix(".c")
SECRET = bytes(range(32))
KEY_NUMBER = 7
SIZE_AT = 44
"""Of the least significant byte of an image's size in its header."""
OWN_VERSION, KNOWN_VERSION = 1, 2
MODELS = {"plain": Signing.NONE, "hmac": Signing.HMAC, "ed25519": Signing.ED25519}
"""In the order of the source."""
FLAGS = ("-std=c11", "-g", "-O1", "-Wall", "-Wextra", "-fno-sanitize-recover=all")
FUZZER = ("clang", "-fsanitize=fuzzer,address,undefined")
REPLAY = ("gcc", "-fsanitize=address,undefined", "-DREPLAY")


def program(
    compiler: Sequence[str], folder: Path, *, changed: Mapping[str, str] | None = None
) -> Path:
    """The program of a compiler with its flags; `changed`: texts of the generated C, to try what is
    wrong."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in MODELS:
        for file, text in compile_model(_request(name, OWN_VERSION)).files.items():
            (folder / file).write_text(_with(text, changed or {}), encoding="utf-8")
    (folder / "known.h").write_text("\n".join(_known_lines()), encoding="utf-8")
    found = folder / "image"
    sources = [SOURCE, *(folder / f"{name}.c" for name in MODELS)]
    command = [*compiler, *FLAGS, f"-I{folder}", *map(str, sources), "-o", str(found)]
    subprocess.run(command, check=True, timeout=300)
    return found


def _with(text: str, changed: Mapping[str, str]) -> str:
    for old, new in changed.items():
        text = text.replace(old, new)
    return text


def seeds() -> dict[str, bytes]:
    """A good image of each model, a half of it, and one that says that it is larger: what a layout
    is named by is part of them, so that they are not kept as files."""
    found: dict[str, bytes] = {}
    for place, name in enumerate(MODELS):
        whole = bytes([place + len(MODELS)]) + known(name)
        at = 1 + SIZE_AT
        larger = whole[:at] + bytes([whole[at] + 1]) + whole[at + 1 :]
        found |= {name: whole, f"{name}_half": whole[: len(whole) // 2], f"{name}_larger": larger}
    return found


def known(name: str) -> bytes:
    """A newer image of a model, signed where it has to be."""
    image = compile_model(_request(name, KNOWN_VERSION)).image
    signing = MODELS[name]
    if signing is Signing.NONE:
        return image
    image = with_key(image, KEY_NUMBER)
    if signing is Signing.HMAC:
        return image + hmac.digest(SECRET, image, hashlib.sha256)
    stand_in = bytes(255 - byte for byte in image[48:52])
    return image + stand_in + bytes(signing.size_bytes - len(stand_in))


def _request(name: str, version: int) -> Request:
    return Request(
        build_model(dense((1, 1), (1, 1))),
        name,
        load_target("host"),
        weights=Weights.PARTITION,
        signature=MODELS[name],
        model_version=version,
    )


def _known_lines() -> Iterator[str]:
    yield "#include <stdint.h>"
    arrays = {f"{name}_known": known(name) for name in MODELS} | {"hmac_secret": SECRET}
    for name, data in arrays.items():
        yield f"static const uint8_t {name}[{len(data)}] = {{ {', '.join(map(str, data))} }};"
