"""What the tests run in forks of a warm Python ends and prints as in a process of its own."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.frontends.builds import run
from tests.support.warm_python import run_module

MODULE = """\
import atexit, os, sys
from pathlib import Path

import sibling

atexit.register(lambda: print("at the end"))
print(sys.argv[1:], Path.cwd(), Path(sys.argv[0]).name, os.environ.get("SAID"), sibling.VALUE)
print(sys.stdin.read(), __name__, file=sys.stderr)
os.system("echo of a child")
{end}
"""


@pytest.mark.parametrize(
    "end", ["", "sys.exit(3)", "sys.exit()", "sys.exit('why')", "1 / 0", "os.kill(os.getpid(), 9)"]
)
def test_as_in_a_process_of_its_own(end: str, tmp_path: Path) -> None:
    """Status, output, errors, words, folder, environment, and modules beside it."""
    (tmp_path / "sibling.py").write_text("VALUE = 7\n")
    (tmp_path / "asked.py").write_text(MODULE.format(end=end))
    words, variables = ["a word", "--x"], {"SAID": "by the test"}
    own = run([sys.executable, "-m", "asked", *words], tmp_path, variables=variables)
    warm = run_module(sys.executable, "asked", words, folder=tmp_path, variables=variables)
    assert (warm.returncode, warm.stdout) == (own.returncode, own.stdout)
    assert warm.stderr.splitlines()[:1] == own.stderr.splitlines()[:1]
    assert warm.stderr.splitlines()[-1:] == own.stderr.splitlines()[-1:]


def test_nothing_stays(tmp_path: Path) -> None:
    """What one command changes or loads of its own folder, no other finds."""
    for name in ("first", "second"):
        folder = tmp_path / name
        folder.mkdir()
        (folder / "mine.py").write_text(f"WHERE = {name!r}\n")
        (folder / "asked.py").write_text(
            "import json, mine\nprint(mine.WHERE, hasattr(json, 'x'))\njson.x = 1\n"
        )
        done = run_module(sys.executable, "asked", [], folder=folder, variables={})
        assert (done.returncode, done.stdout) == (0, f"{name} False\n"), done.stderr


def test_scons_is_launched_where_it_is_called(tmp_path: Path) -> None:
    """It keeps the folder in which it was imported."""
    (tmp_path / "SConstruct").write_text("print(GetLaunchDir())\n")
    done = run_module(sys.executable, "SCons", ["-Q", "-s"], folder=tmp_path, variables={})
    assert str(tmp_path) in done.stdout.splitlines(), done.stderr
