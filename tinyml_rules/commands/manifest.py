"""`manifest`: what a build was made of and by, as a file that can be verified later."""

from __future__ import annotations

import argparse
import shlex
from pathlib import Path

from tinyml_rules.commands.console import Console
from tinyml_rules.errors import TinymlError, UsageError
from tinyml_rules.firmware.manifest import COMMENT, manifest_text, problems_of
from tinyml_rules.system.files import write_anew


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Files of a build, or a manifest."""
    parser.add_argument(
        "files",
        nargs="*",
        type=Path,
        metavar="FILE",
        help="the reports that the compiler wrote, the linked firmware, the model, and what else "
        "went in",
    )
    parser.add_argument(
        "-o", "--out", type=Path, metavar="MANIFEST.json", help="the manifest to write"
    )
    parser.add_argument(
        "--compiler",
        default="",
        metavar="PROGRAM",
        help="the C compiler: its version and its hashes are recorded",
    )
    parser.add_argument(
        "--flags", default="", metavar="FLAGS", help="its flags, as one word: --flags='-Os -g0'"
    )
    parser.add_argument(
        "--verify",
        type=Path,
        metavar="MANIFEST.json",
        help="fail if a file is not as this manifest has it",
    )


def run(options: argparse.Namespace, console: Console) -> None:
    """Write the manifest, or verify one.  Raises UsageError for what cannot be read or is not of
    one build, TinymlError for files that are others."""
    if (options.verify is None) == (options.out is None):
        raise UsageError.at("manifest", "expected either --out to write one or --verify")
    if options.verify is not None:
        _verify(options, console)
        return
    if not options.files:
        raise UsageError.at("manifest", "found no files, expected those of a build")
    text = manifest_text(
        options.files,
        options.out.parent,
        compiler=options.compiler,
        flags=_flags(options.flags),
    )
    write_anew(options.out, text, like=rf'\{{\s*"comment": "{COMMENT}"')


def _flags(text: str) -> list[str]:
    try:
        return shlex.split(text)
    except ValueError as error:
        raise UsageError.at("--flags", f"found '{text}', which no shell reads ({error})") from error


def _verify(options: argparse.Namespace, console: Console) -> None:
    if options.files or options.compiler or options.flags:
        raise UsageError.at("--verify", "takes no more than the manifest, which names the files")
    problems = problems_of(options.verify)
    if problems:
        raise TinymlError(problems)
    console.result(f"{options.verify}: every file is the one that was built")
