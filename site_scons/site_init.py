"""Makes plain `scons` work after the set-up, whichever Python it came with.

The compiler needs packages that the set-up puts into `.venv`; where this Python lacks them, the
same command goes on with that one.
"""

import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

_ROOT = Path(__file__).resolve().parent.parent
_VENV = _ROOT / ".venv"
_PACKAGES = ("numpy", "jinja2", "flatbuffers", "elftools")

sys.path.insert(0, str(_ROOT))

if not all(map(find_spec, _PACKAGES)):
    python = str(_VENV / "bin" / "python")  # its scripts name a folder, which may have been moved
    ask = [python, "-c", "import SCons"]
    is_other = os.access(python, os.X_OK) and Path(sys.prefix).resolve() != _VENV.resolve()
    if not is_other or subprocess.run(ask, check=False, capture_output=True).returncode:
        sys.exit("tinyml_rules: error: packages are missing\n  hint: run ./tinyml once")
    os.execv(python, [python, "-m", "SCons", *sys.argv[1:]])  # noqa: S606 - ours, by its full path
