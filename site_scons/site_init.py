"""Makes plain `scons` work after the set-up, whichever Python it came with.

The compiler needs packages that the set-up puts into `.venv`; where this Python lacks them, the
same command goes on with that one.
"""

import os
import sys
from importlib.util import find_spec
from pathlib import Path

_ROOT = Path(__file__).resolve().parent.parent
_SCONS = _ROOT / ".venv" / "bin" / "scons"
_PACKAGES = ("numpy", "jinja2", "flatbuffers", "elftools")

sys.path.insert(0, str(_ROOT))

if not all(map(find_spec, _PACKAGES)):
    if not _SCONS.is_file() or Path(sys.prefix) == _SCONS.parents[1]:
        sys.exit("tinyml_rules: error: packages are missing\n  hint: run ./tinyml once")
    os.execv(_SCONS, [str(_SCONS), *sys.argv[1:]])  # noqa: S606 - our own, by its full path
