"""`image`: what a firmware exchanges for a new model, and whether it will take it."""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path

from tinyml_rules.commands.compiled import requested
from tinyml_rules.commands.console import Console
from tinyml_rules.commands.signing import signed
from tinyml_rules.compiler import compile_model
from tinyml_rules.emit.image import (
    FORMAT,
    HASH_BYTES,
    HEADER_BYTES,
    LAYOUT_AT,
    MAGIC,
    SIGNED_FORMAT,
)
from tinyml_rules.errors import UnsupportedError, UsageError
from tinyml_rules.request.command_line import (
    add_compile_options,
    add_model,
    add_targets_folder,
    chosen_name,
    chosen_target,
)
from tinyml_rules.request.request import Request, Weights
from tinyml_rules.system.files import read_file, write_files
from tinyml_rules.system.ours import NOT_OURS

_BEGINS = tuple(
    MAGIC + number.to_bytes(2, "little") + HEADER_BYTES.to_bytes(2, "little")
    for number in (FORMAT, SIGNED_FORMAT)
)
MOST_KEY = 2**32 - 1
"""The greatest number of a key."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """A model, and the target and the options that the firmware was built with."""
    add_model(parser)
    parser.add_argument(
        "--target", required=True, help="the target that the firmware was compiled for"
    )
    parser.add_argument(
        "-o", "--out", type=Path, metavar="FILE", help="the file to write (default: NAME.model.bin)"
    )
    parser.add_argument(
        "--for",
        dest="firmware",
        type=Path,
        metavar="FILE",
        help="fail if this firmware (ELF or binary), or one that took this earlier image, would "
        "refuse the new image",
    )
    parser.add_argument(
        "--sign",
        type=Path,
        metavar="KEYFILE",
        help="with --signature: the secret key, 32 bytes for hmac, a PEM file for ed25519",
    )
    parser.add_argument(
        "--key-number",
        type=int,
        default=1,
        metavar="NUMBER",
        help="the number by which the firmware knows that key (default: 1)",
    )
    add_targets_folder(parser)
    add_compile_options(parser)


def run(options: argparse.Namespace, console: Console) -> None:
    """Write the image, and say what it is.  Raises UnsupportedError where the firmware would not
    take it."""
    target, name = chosen_target(options), chosen_name(options)
    request = replace(requested(options, target), weights=Weights.PARTITION)
    _check_key(request, options)
    image = compile_model(request).image
    layout = image[LAYOUT_AT : LAYOUT_AT + HASH_BYTES]
    if options.firmware:
        _check_layout(layout, options.firmware, name)
    if options.sign:
        image = signed(image, request.signature, options.sign, options.key_number)
    out: Path = options.out or Path(f"{name}.model.bin")
    if out.exists() and not (out.is_file() and out.read_bytes().startswith(MAGIC)):
        raise UsageError.at(str(out), NOT_OURS, hint="write elsewhere with --out FILE")
    write_files({out.name: image}, out.parent)
    console.result(
        f"{out}: {len(image):,} bytes, version {request.model_version}, layout {layout.hex()[:16]}"
    )


def _check_key(request: Request, options: argparse.Namespace) -> None:
    """There is one where the firmware asks for a signature, and only there."""
    if request.signature.size_bytes and not options.sign:
        what = f"signature={request.signature} without a key, which the firmware would not use"
        raise UsageError.at(request.name, what, hint="add --sign KEYFILE")
    if options.sign and not request.signature.size_bytes:
        what = "signs an image that no firmware asks a signature of, expected --signature too"
        raise UsageError.at("--sign", what)
    if not 0 <= options.key_number <= MOST_KEY:
        what = f"found '{options.key_number}', expected 0 to {MOST_KEY}"
        raise UsageError.at("--key-number", what)


def _check_layout(layout: bytes, file: Path, name: str) -> None:
    """Any of the images in the file has it."""
    data = read_file(file)
    found = []
    for begin in _BEGINS:
        place = data.find(begin)
        while place >= 0:
            found.append(data[place + LAYOUT_AT : place + LAYOUT_AT + HASH_BYTES])
            place = data.find(begin, place + 1)
    if not found:
        what = "has no image of a model, expected one, or a firmware with weights=partition"
        raise UsageError.at(str(file), what)
    if layout not in found:
        what = (
            f"the image has layout {layout.hex()[:16]}, and {file} {found[0].hex()[:16]}: they "
            "differ in layers, shapes, options, target or version of the compiler"
        )
        hint = "a new firmware takes it; for this one keep the graph, and train its weights alone"
        raise UnsupportedError.at(name, what, hint=hint)
