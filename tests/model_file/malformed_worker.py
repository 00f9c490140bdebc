"""Reads and compiles mutated copies of a model, in a process with little memory and a watchdog.

    python -m tests.model_file.malformed_worker FIRST COUNT MODEL ...

Prints, a line of JSON for each model, how many copies were accepted and refused, and every
failure.  What one copy is read as is tried no further for another.  A copy that hangs kills the
process; the number printed last on standard error is then the one to look at.
"""

from __future__ import annotations

import json
import resource
import signal
import sys
import traceback
import warnings
import zlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.model_file.graph_keys import key_of, without_numbers
from tests.support.clean_errors import clean_errors
from tests.support.host import host
from tests.support.mutations import Mutator
from tests.support.stages import passed, read
from tinyml_rules.compiler import Compiled, compile_model
from tinyml_rules.ir.graph import Graph
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

MEMORY_BYTES = 512 * 2**20
"""What one copy may take beyond what the process has after its imports."""
LIMITED_AGAIN = 1000
"""After so many copies: what is kept of each is no leak."""
TIME_S = 10
"""Of CPU, so that a busy computer is no hang."""
SMALL_BYTES = 16384
"""Files up to this size are compiled to C; the text of large weights takes long."""
OF_A_FORM = 4
"""How many copies are built whose C has the same text but for numbers; of one also tables of layers
are made, which take longer than all the rest."""
NAME = "model"
_HOST = host()


def plan_copy(data: bytes) -> None:
    """All stages up to the memory plan; raises TinymlError for a copy that is refused."""
    graph = passed(data)
    program = select(graph, frozenset(), builtin_operators())
    steps = schedule(program)
    verify_plan(steps, place(steps, lifetimes(steps)))


def try_copy(data: bytes, graph: Graph | None = None) -> str:
    """Small files to C, which is returned, larger ones up to the plan; of one copy in eight also
    what `inspect` shows, which takes longer than all the rest.  Which one is decided by its bytes;
    `graph` is what they are read as.
    """
    graph = graph or read(data)
    if zlib.crc32(data) % 8 == 0:
        screen(overview(graph, builtin_operators(), file_bytes=len(data)))
    if len(data) > SMALL_BYTES:
        plan_copy(data)
        return ""
    return compiled_copy(data, NAME, Optimize.LAYERS).files[f"{NAME}.c"]


def compiled_copy(data: bytes, name: str, goal: Optimize) -> Compiled:
    """The C for the host."""
    return compile_model(Request(data, name, _HOST, optimize=goal))


@dataclass
class Tried:
    """What became of copies, and what is told from them."""

    accepted: int = 0
    """By the reader, whatever comes after it."""
    refused: int = 0
    again: int = 0
    """The bytes of a copy before."""
    graphs: int = 0
    """Different ones among the accepted; what follows the reader is tried with each of these."""
    to_build: list[int] = field(default_factory=list)
    """The copies that differ in their C by more than numbers, and a few of those that do not."""
    failures: dict[int, str] = field(default_factory=dict)
    _copies: set[int] = field(default_factory=set)
    _graphs: set[int] = field(default_factory=set)
    _texts: Counter[int] = field(default_factory=Counter)

    def add(self, number: int, data: bytes) -> None:
        """Try one; all but the package's errors are failures."""
        if (key := hash(data)) in self._copies:
            self.again += 1
            return
        self._copies.add(key)
        before = self.accepted
        try:
            with clean_errors(of=NAME):
                self._judge(number, data)
        except Exception:  # every other exception is what this looks for
            self.failures[number] = traceback.format_exc(limit=-4)
        self.refused += self.accepted == before

    def _judge(self, number: int, data: bytes) -> None:
        graph = read(data)
        self.accepted += 1
        if (key := key_of(graph)) in self._graphs:
            return
        self._graphs.add(key)
        self.graphs += 1
        if text := try_copy(data, graph):
            self._texts[form := hash(without_numbers(text))] += 1
            if self._texts[form] == 1:
                compiled_copy(data, NAME, Optimize.BALANCED)
            if self._texts[form] <= OF_A_FORM:
                self.to_build.append(number)

    def result(self) -> dict[str, Any]:
        """All that is told, for JSON."""
        return {name: value for name, value in vars(self).items() if not name.startswith("_")}


def limit_memory() -> None:
    """Any allocation beyond the limit raises a MemoryError, which is then a failure."""
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
    limit = pages * resource.getpagesize() + MEMORY_BYTES
    resource.setrlimit(resource.RLIMIT_AS, (limit, resource.RLIM_INFINITY))


def tried(mutator: Mutator, numbers: Sequence[int]) -> Tried:
    """What became of the copies with these numbers."""
    warnings.simplefilter("error")  # an overflow in numpy is a number that nobody checked
    limit_memory()
    result = Tried()
    for number in numbers:
        if number % LIMITED_AGAIN == 0:
            limit_memory()
        print(number, file=sys.stderr)
        signal.setitimer(signal.ITIMER_PROF, TIME_S)
        result.add(number, mutator.mutate(number))
    signal.setitimer(signal.ITIMER_PROF, 0)
    return result


def main(first: int, count: int, models: Sequence[Path]) -> None:
    """Try `count` copies of each model from number `first` on."""
    for model in models:
        mutator = Mutator(model.read_bytes())
        tried(mutator, range(16))  # loads what is loaded late
        print(json.dumps(tried(mutator, range(first, first + count)).result()), flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]), [Path(name) for name in sys.argv[3:]])
