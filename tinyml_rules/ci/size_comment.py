"""What a change costs on its parts, as Markdown, in any continuous integration.

python -m tinyml_rules.ci.size_comment --base REV --models '*.tflite' --targets rp2040
python -m tinyml_rules.ci.size_comment --base REV --command 'make reports'

Makes the reports of the working tree and those of the revision REV, in a second tree of the same
repository, and compares them with `tinyml_rules diff`, whose budgets (`--max-flash-growth 2%`) may
follow.  Exits with 1 where a model cannot be built or a budget is broken, after the comment is
written.  With --post it becomes a comment of the pull request on GitHub, or replaces the last one.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from tinyml_rules.ci.github import MARK, post_comment

OURS = (sys.executable, "-P", "-m", "tinyml_rules")
SUFFIX = ".report.json"
TITLE = "## What this change costs on microcontrollers"


class SizeCommentError(Exception):
    """A mistake in the command, or a repository that cannot be read; its text is for a user."""


@dataclass(frozen=True)
class Wanted:
    """What is reported of a tree: a shell's `command`, which writes reports into the folder
    $REPORTS, or else each of the `models` (patterns) on each of the `targets`, run or compiled."""

    command: str = ""
    models: tuple[str, ...] = ()
    targets: tuple[str, ...] = ()
    is_run: bool = False


def main(words: Sequence[str] | None = None) -> int:
    """Compare, write, and post; returns the exit status."""
    options, budgets = _parser().parse_known_args(words)
    wanted = Wanted(options.command, tuple(options.models), _targets(options), options.run)
    try:
        if bool(wanted.command) == bool(wanted.models):
            raise SizeCommentError("expected --command or --models, one of the two")
        if unknown := [word for word in budgets if word[:1] == "-" and word[:6] != "--max-"]:
            raise SizeCommentError(f"unknown '{unknown[0]}', expected a budget of `diff`, --max-…")
        with TemporaryDirectory() as folder:
            text, status = comment_of(wanted, options.base, budgets, Path(folder))
    except SizeCommentError as error:
        print(f"size_comment: error: {error}", file=sys.stderr)
        return 2
    if options.out:
        options.out.write_text(text, encoding="utf-8", newline="\n")
    else:
        print(text, end="")
    if summary := os.environ.get("GITHUB_STEP_SUMMARY"):
        with Path(summary).open("a", encoding="utf-8") as file:
            file.write(text)
    if options.post:
        post_comment(options.post, text)
    return status


def _parser() -> argparse.ArgumentParser:
    summary, _, usage = (__doc__ or "").partition("\n\n")
    parser = argparse.ArgumentParser(
        prog="size_comment",
        description=f"{summary}\n\n{usage}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("--base", required=True, metavar="REV", help="the revision to compare with")
    parser.add_argument("--models", nargs="+", default=[], metavar="PATTERN", help="model files")
    parser.add_argument("--targets", default="", metavar="A,B", help="targets, parts or boards")
    parser.add_argument(
        "--run",
        action="store_true",
        help="link and run each model, which needs the part's compiler and emulator; otherwise "
        "constants and arena are compared",
    )
    parser.add_argument(
        "--command", default="", help=f"writes files *{SUFFIX} into the folder $REPORTS"
    )
    parser.add_argument(
        "--out", type=Path, metavar="FILE", help="of the comment; else it is printed"
    )
    parser.add_argument("--post", metavar="NUMBER", help="of a pull request on GitHub")
    return parser


def _targets(options: argparse.Namespace) -> tuple[str, ...]:
    return tuple(filter(None, options.targets.split(",")))


def comment_of(wanted: Wanted, base: str, budgets: Sequence[str], folder: Path) -> tuple[str, int]:
    """The comment and the exit status.  Raises SizeCommentError."""
    old, new, tree = (folder / name for name in ("old", "new", "tree"))
    with_base(base, tree)
    try:
        of_base = [*reports_of(wanted, tree, old)]
    finally:
        git("worktree", "remove", "--force", str(tree))
    failed = [*reports_of(wanted, Path(), new)]
    lines = [f"- **failed:** `{_inert(each)}`" for each in failed]
    lines += [f"- without a figure of {base[:12]}: `{_inert(each)}`" for each in of_base]
    status, text = (1 if failed else 0), ""
    if not _has_reports(old) or not _has_reports(new):
        lines.append(f"- There is nothing to compare: no report of {_lacking(old, new, base)}.")
    else:
        status, text = compared(old, new, budgets, folder / "comment.md", status)
    parts = (f"{MARK}\n{TITLE}", "\n".join(lines), text.strip())
    return "\n\n".join(filter(None, parts)) + "\n", status


def with_base(base: str, tree: Path) -> None:
    """Check the revision out into a tree of its own; fetch it where the clone is shallow."""
    try:
        known = ("rev-parse", "--verify", "--quiet", "--end-of-options")
        commit = git(*known, f"{base}^{{commit}}")
    except SizeCommentError:
        git("fetch", "--quiet", "--depth=1", "origin", "--end-of-options", base)
        commit = "FETCH_HEAD"
    git("worktree", "add", "--quiet", "--detach", str(tree), commit)


def git(*words: str) -> str:
    """What git prints in the working tree.  Raises SizeCommentError with its error."""
    program = shutil.which("git")
    if program is None:
        raise SizeCommentError("the program 'git' is not installed")
    done = subprocess.run([program, *words], capture_output=True, text=True, check=False)
    if done.returncode:
        raise SizeCommentError(f"'git {words[0]}' failed: {done.stderr.strip()}")
    return done.stdout.strip()


def reports_of(wanted: Wanted, tree: Path, out: Path) -> Iterator[str]:
    """Write the reports of a tree; yields what failed, each in a line."""
    out.mkdir()
    if wanted.command:
        variables = {**os.environ, "REPORTS": str(out)}
        done = subprocess.run(
            ["/bin/sh", "-euc", wanted.command], cwd=tree, env=variables, check=False
        )
        if done.returncode:
            yield f"{wanted.command}: ended with status {done.returncode}"
        return
    models = sorted({path for each in wanted.models for path in tree.glob(each)})
    if not models:
        yield f"{' '.join(wanted.models)}: no such file"
    for model in models:
        for target in wanted.targets or ("host",):
            yield from _report(wanted, model.relative_to(tree), target, tree, out)


def _report(wanted: Wanted, model: Path, target: str, tree: Path, out: Path) -> Iterator[str]:
    """Write the report of one model; yields its error, if it has one."""
    file = out / model.parent / f"{model.stem}-{target}{SUFFIX}"
    with TemporaryDirectory() as built:
        verb = ("run",) if wanted.is_run else ("compile", "--out", built)
        done = subprocess.run(
            [*OURS, *verb, "--json", "--target", target, str(model)],
            cwd=tree,
            capture_output=True,
            text=True,
            check=False,
        )
    if done.returncode:
        yield (done.stderr.strip().splitlines() or [f"{model} on {target}: failed"])[0]
        return
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(done.stdout, encoding="utf-8", newline="\n")


def compared(
    old: Path, new: Path, budgets: Sequence[str], file: Path, status: int
) -> tuple[int, str]:
    """The status, at least as it is, and what `diff` says.  Raises SizeCommentError."""
    words = ("diff", str(old), str(new), "--markdown", str(file), *budgets)
    done = subprocess.run([*OURS, *words], capture_output=True, text=True, check=False)
    if not file.is_file():
        raise SizeCommentError(done.stderr.strip())
    return max(status, done.returncode), file.read_text(encoding="utf-8")


def _has_reports(folder: Path) -> bool:
    return any(folder.rglob(f"*{SUFFIX}"))


def _lacking(old: Path, new: Path, base: str) -> str:
    names = {base[:12]: old, "this change": new}
    return " and ".join(name for name, each in names.items() if not _has_reports(each))


def _inert(text: str) -> str:
    """In a span of code, on one line."""
    return " ".join(text.replace("`", "'").split())


if __name__ == "__main__":
    sys.exit(main())
