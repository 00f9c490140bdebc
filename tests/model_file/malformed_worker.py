"""Reads and compiles mutated copies of a model, in a process with little memory and a watchdog.

    python -m tests.model_file.malformed_worker MODEL FIRST COUNT

Prints, as JSON, how many copies were accepted and refused, and every failure.  A copy that hangs
kills the process; the number printed last on standard error is then the one to look at.
"""

from __future__ import annotations

import json
import resource
import signal
import sys
import traceback
import warnings
import zlib
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from tests.support.clean_errors import clean_errors
from tests.support.mutations import Mutator
from tests.support.stages import passed, read
from tinyml_rules.compiler import compile_model
from tinyml_rules.errors import TinymlError
from tinyml_rules.lower.choice import Optimize
from tinyml_rules.lower.select import select
from tinyml_rules.ops import builtin_operators
from tinyml_rules.overview.facts import overview
from tinyml_rules.overview.text import screen
from tinyml_rules.plan.lifetimes import lifetimes
from tinyml_rules.plan.place import place
from tinyml_rules.plan.schedule import schedule
from tinyml_rules.plan.verify import verify_plan
from tinyml_rules.request.request import Request
from tinyml_rules.target.target import load_target

MEMORY_BYTES = 512 * 2**20
"""What one copy may take beyond what the process has after its imports."""
TIME_S = 10
"""Of CPU, so that a busy computer is no hang."""
SMALL_BYTES = 8192
"""Files up to this size are compiled to C; the text of large weights takes long."""


def plan_copy(data: bytes) -> None:
    """All stages up to the memory plan; raises TinymlError for a copy that is refused."""
    graph = passed(data)
    program = select(graph, frozenset(), builtin_operators())
    steps = schedule(program)
    verify_plan(steps, place(steps, lifetimes(steps)))


def try_copy(data: bytes) -> None:
    """Small files to C, larger ones up to the plan; of one copy in eight also what `inspect` shows,
    and tables of layers, which take longer than all the rest.  Which one is decided by its bytes.
    """
    is_thorough = zlib.crc32(data) % 8 == 0
    if is_thorough:
        screen(overview(read(data), builtin_operators(), file_bytes=len(data)))
    if len(data) <= SMALL_BYTES:
        goal = Optimize.BALANCED if is_thorough else Optimize.LAYERS
        compile_model(Request(data, "model", load_target("host"), optimize=goal))
    else:
        plan_copy(data)


def failure(data: bytes) -> str | None:
    """What is wrong with the way in which a copy was handled; None if nothing is."""
    try:
        with clean_errors():
            try_copy(data)
    except Exception:  # every other exception is what this looks for
        return traceback.format_exc(limit=-4)
    return None


def is_accepted(data: bytes) -> bool:
    """The reader takes the copy, whatever comes after it."""
    try:
        read(data)
    except TinymlError:
        return False
    return True


def limit_memory() -> None:
    """Any allocation beyond the limit raises a MemoryError, which is then a failure."""
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
    limit = pages * resource.getpagesize() + MEMORY_BYTES
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))


def main(model: Path, first: int, count: int) -> None:
    """Try `count` copies from number `first` on."""
    mutator = Mutator(model.read_bytes())
    for number in range(16):  # loads what is loaded late, before the limit
        failure(mutator.mutate(number))
    limit_memory()
    print(json.dumps(tried(mutator, range(first, first + count))))


def tried(mutator: Mutator, numbers: Iterable[int]) -> dict[str, Any]:
    """What became of the copies with these numbers; those that a copy before equals are not tried
    again."""
    warnings.simplefilter("error")  # an overflow in numpy is a number that nobody checked
    result: dict[str, Any] = {"accepted": 0, "refused": 0, "again": 0, "failures": {}}
    seen = set()
    for number in numbers:
        data = mutator.mutate(number)
        if (key := hash(data)) in seen:
            result["again"] += 1
            continue
        seen.add(key)
        print(number, file=sys.stderr)
        signal.setitimer(signal.ITIMER_PROF, TIME_S)
        found = failure(data)
        result["accepted" if is_accepted(data) else "refused"] += 1
        signal.setitimer(signal.ITIMER_PROF, 0)
        if found is not None:
            result["failures"][number] = found
    return result


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))
