"""What fuzzing begins with, besides the inputs in corpus/, and the words that inputs consist of."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from tests.conftest import PROJECT
from tests.fuzz import descriptions, image
from tests.raw_to_decision.drawn import draw
from tests.raw_to_decision.programs import text_of
from tests.support.operator_cases import OPERATORS, cases_of, file_of
from tests.support.random_graphs import random_graph
from tinyml_rules.model_file.writer import build_model
from tinyml_rules.reporting.record import to_json
from tinyml_rules.target.target import target_names

CORPUS = Path(__file__).with_name("corpus")
SCHEMAS = PROJECT / "tinyml_rules" / "editors" / "schemas"
SIGNS = ("[", "]", "[[", "]]", "{", "}", " = ", "\n", '"', '"""', "'", ",", ".", "-", "e9", "nan")
"""Of TOML."""
Seeds = Iterator[tuple[str, bytes]]


def reader() -> Seeds:
    """The smallest case of each operator, and some graphs."""
    for operator in OPERATORS:
        yield operator, min((file_of(case) for case in cases_of(operator).values()), key=len)
    for number in range(4):
        yield f"graph_{number}", build_model(random_graph(number, node_count=3))


def described() -> Seeds:
    """Examples of this repository, drawn descriptions, the figures and a line of a build."""
    for file in PROJECT.glob("examples/*/sensor.toml"):
        yield f"sensor_{file.parent.name}", b"s" + file.read_bytes()
    for number in range(30):
        yield f"drawn_{number}", b"s" + text_of(draw(1, number)).encode()
    for name in target_names():
        yield f"target_{name}", b"t" + (PROJECT / "targets" / name / "target.toml").read_bytes()
    yield "options", b'ooptimize = "size"\nram = "least"\n[target.host]\nselftest = true\n'
    report = to_json(descriptions.compiled().report)
    yield "report", b"r" + json.dumps(report).encode()
    yield "log", b"l" + _line(b"m00", descriptions.compiled().report.model_sha256[:16])


def _line(kind: bytes, digits: str) -> bytes:
    return b"@mine " + kind + b" 00000000 " + digits.encode() + b" 00000000\n"


def drawn() -> Seeds:
    """Choices that differ."""
    for number in range(16):
        yield f"choices_{number}", bytes([17 * number] * 400)


SEEDS: Mapping[str, Callable[[], Seeds]] = {
    "reader": reader,
    "descriptions": described,
    "round_trip": drawn,
    "image": lambda: iter(image.seeds().items()),
}


def write_seeds(kind: str, folder: Path) -> None:
    """A file for each."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, data in SEEDS[kind]():
        (folder / name).write_bytes(data)


def dictionary() -> str:
    """In libFuzzer's form: keys and words of the files of a user, by their schemas."""
    words = {*SIGNS, "raw", "head", *(f"[{name}]" for name in ("input", "output", "target.host"))}
    for file in SCHEMAS.glob("*.schema.json"):
        words |= set(_words(json.loads(file.read_text(encoding="utf-8"))))
    return "".join(f'"{_escaped(word)}"\n' for word in sorted(words))


def _words(schema: Any) -> Iterator[str]:
    if isinstance(schema, dict):
        yield from schema.get("properties", {})
        yield from (f'"{each}"' for each in schema.get("enum", ()) if isinstance(each, str))
    for each in schema.values() if isinstance(schema, dict) else schema:
        if isinstance(each, dict | list):
            yield from _words(each)


def _escaped(word: str) -> str:
    return "".join(c if c.isalnum() else f"\\x{ord(c):02x}" for c in word if ord(c) < 128)
