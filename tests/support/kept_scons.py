"""SCons of a copy of this project, whose compilers run for what no test run before has compiled.

python -m tests.support.kept_scons WORD ..
"""

from __future__ import annotations

from SCons.Script.Main import main

from tests.support.kept_objects import run_kept
from tinyml_rules.system import process

if __name__ == "__main__":
    process.run_program = run_kept
    main()
