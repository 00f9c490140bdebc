"""The options that several commands share: the model, the target, and what decides what a model is
compiled to."""

from __future__ import annotations

import argparse
from pathlib import Path

from tinyml_rules.ir.c_names import identifier
from tinyml_rules.request.model_path import existing_model
from tinyml_rules.request.request import (
    DEFAULT_PAGE_BYTES,
    Request,
    parse_arena,
    parse_mode,
    parse_page,
    parse_places,
    parse_weights,
)
from tinyml_rules.system.files import read_file
from tinyml_rules.system.wording import SPELLINGS
from tinyml_rules.target.target import Target, default_search, load_target


def add_model(parser: argparse.ArgumentParser) -> None:
    """The model's file, and its name in C."""
    parser.add_argument("model", type=Path, metavar="MODEL.tflite", help="the model to read")
    parser.add_argument("--name", help="prefix of every C symbol (default: from the file's name)")


def add_targets_folder(parser: argparse.ArgumentParser) -> None:
    """Folders of further targets."""
    parser.add_argument(
        "--targets",
        type=Path,
        action="append",
        default=[],
        metavar="DIR",
        help="a folder of further targets",
    )


def model_bytes(options: argparse.Namespace) -> bytes:
    """What is in the model's file; UsageError, with the closest name, where there is none."""
    return read_file(existing_model(options.model))


def chosen_name(options: argparse.Namespace) -> str:
    """The prefix of every C symbol."""
    return str(options.name or identifier(options.model.stem))


def chosen_target(options: argparse.Namespace, name: str = "") -> Target:
    """The target called `name`, else the one of --target; raises TargetError."""
    return load_target(name or options.target, search=(*options.targets, *default_search()))


def add_compile_options(parser: argparse.ArgumentParser) -> None:
    """Add them to a command."""
    _add_schedule_options(parser)
    _add_memory_options(parser)
    # for front ends that run the command line, whose users write settings in another way
    parser.add_argument("--spelling", choices=tuple(SPELLINGS), default="", help=argparse.SUPPRESS)


def _add_schedule_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--schedule",
        default="auto",
        help="auto: run layers row by row together where that saves RAM (default); layer: never; "
        "stream: wherever it is possible",
    )
    parser.add_argument(
        "--ram",
        type=int,
        metavar="BYTES",
        help="a limit for the RAM of the model (its arena, and a page of external weights): the "
        "least streaming that keeps to it, not the least RAM",
    )
    parser.add_argument(
        "--checked",
        action="store_true",
        help="overwrite dead bytes as the model runs, to find mistakes of the memory plan; slow",
    )
    parser.add_argument(
        "--push-rows",
        action="store_true",
        help="take the input a row at a time; it never lies in RAM as a whole",
    )


def _add_memory_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--arena",
        default="static",
        help="static: an array of the model's own (default); caller: memory that every function "
        "is given; shared: one array for all models of a program",
    )
    parser.add_argument(
        "--place",
        action="append",
        default=[],
        metavar="TENSOR=REGION",
        help="put a tensor (number or name) into a further memory region of the target",
    )
    parser.add_argument(
        "--weights",
        default="flash",
        help="flash (default); external: in NAME.weights.bin, which the firmware reads",
    )
    parser.add_argument(
        "--page",
        default=str(DEFAULT_PAGE_BYTES),
        metavar="N",
        help=f"bytes of external weights read at a time (default: {DEFAULT_PAGE_BYTES})",
    )


def request_of(options: argparse.Namespace, model: bytes, name: str, target: Target) -> Request:
    """What the options ask for; raises UsageError for a word that means nothing."""
    return Request(
        model,
        name,
        target,
        schedule=parse_mode(options.schedule),
        push_rows=options.push_rows,
        ram_bytes=options.ram,
        arena=parse_arena(options.arena),
        places=parse_places(options.place),
        weights=parse_weights(options.weights),
        page_bytes=parse_page(options.page),
        checked=options.checked,
    )
