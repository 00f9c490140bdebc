"""The TOML files of the repository by the schema that they follow, their readers, and changes of
them."""

from __future__ import annotations

import copy
import json
import tomllib
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import hypothesis.strategies as st

from tests.conftest import PROJECT
from tinyml_rules.request.options_file import read_options
from tinyml_rules.sensor.description import read_description
from tinyml_rules.target.file import is_abstract, read_merged, target_folders
from tinyml_rules.target.target import default_search, load_target

Table = dict[str, Any]

FILES: Mapping[str, tuple[Path, ...]] = {
    "options": tuple(sorted(PROJECT.glob("[!.]*/**/*.tinyml.toml"))),
    "sensor": (
        *sorted(PROJECT.glob("examples/*/sensor.toml")),
        *sorted(PROJECT.glob("examples/*/microphone.toml")),
        *sorted(PROJECT.glob("tests/regression/*/sensor.toml")),
    ),
    "target": tuple(sorted(PROJECT.glob("targets/*/target.toml"))),
}
"""By kind; files of options are written by users alone."""

WRITTEN: Mapping[str, tuple[str, ...]] = {
    "options": (
        'optimize = "size"\nram = 2048\npush_rows = true\nslide = 4\nkernel = ["0=a"]\n'
        'place = ["a=b=fast"]\noperators = ["ops"]\nsensor = "s.toml"\nmax_flash = 100\n'
        '[target.uno]\narena = "caller"\npage = 32\n',
    ),
    "sensor": (
        '[input.a]\nraw = "uint12"\nstorage = "int16"\naligned = "left"\nlayout = "channel-major"\n'
        "range = [0, 9]\nmean = 0.5\nvariance = [0.25]\nchannels = 3\nstride_bytes = 8\n"
        '[input.b]\nfeatures = "microfrontend"\nwindow_step = 20\nenable_pcan = false\n'
        'scale = 0.1\n[output.c]\nhead = ["top-k", "event"]\nk = 2\nthreshold = [0.5]\n'
        'votes = [1, 2]\nrefractory_ms = 40\nperiod_ms = 20.0\nlabels = ["x", "y"]\n'
        'background = ["x"]\noff_threshold = 0.25\n[output.d]\nhead = "fixed-point"\n'
        'fraction_bits = 8\n[output.e]\nhead = "mean-squared-difference"\nreference = "a"\n',
        '[output]\nhead = "event"\nthreshold = 0.5\ndebounce = 2\nsuppression = 4\nwindow = 3\n'
        "minimum_count = 2\nrefractory = 1\nround_down = true\n",
    ),
    "target": (),
}
"""Files with the keys that those do not have."""


def tables(kind: str) -> tuple[Table, ...]:
    """What all of them say."""
    texts = [file.read_text(encoding="utf-8") for file in FILES[kind]]
    return tuple(tomllib.loads(text) for text in (*texts, *WRITTEN[kind]))


def toml_of(table: Mapping[str, Any]) -> str:
    """A file with the table, a line for each key."""
    return "".join(f"{json.dumps(key)} = {_value(each)}\n" for key, each in table.items())


def _value(value: Any) -> str:
    if isinstance(value, dict):
        inside = (f"{json.dumps(key)} = {_value(each)}" for key, each in value.items())
        return "{" + ", ".join(inside) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_value, value)) + "]"
    return json.dumps(value, ensure_ascii=False)


def read(kind: str, table: Table, folder: Path) -> None:
    """Read a file with the table as our commands do; raises as they do."""
    text = toml_of(table)
    _READERS[kind](text, folder)


def _options(text: str, folder: Path) -> None:
    file = folder / "m.tinyml.toml"
    file.write_text(text, encoding="utf-8")
    read_options(file)


def _sensor(text: str, folder: Path) -> None:
    file = folder / "sensor.toml"
    file.write_text(text, encoding="utf-8")
    read_description(file)


def _target(text: str, folder: Path) -> None:
    """A family is read as far as it can be."""
    own = folder / "mine"
    own.mkdir(exist_ok=True)
    (own / "target.toml").write_text(text, encoding="utf-8")
    search = (folder, *default_search())
    if is_abstract(own):
        read_merged("mine", target_folders(search))
    else:
        load_target("mine", search=search)


_READERS: Mapping[str, Callable[[str, Path], None]] = {
    "options": _options,
    "sensor": _sensor,
    "target": _target,
}

NUMBERS: tuple[Any, ...] = (-1, 0, 1, 2, 3, 31, 40, 257, 70_000, 2**24 + 1, 10**12, 0.0, 0.5, -2.5)
VALUES: tuple[Any, ...] = (
    *NUMBERS,
    *(1e-31, 1e31, True, False, "", "x", "left", "uint32", "int8", "caller", "argmax", "top-k"),
    *("event", "mean-squared-difference", "microfrontend", "exact", "a=b", "a=", "qemu", "uf2"),
    *([], [1], [1, 2], [2, 1], [0.5], ["x"], ["x", "x"], ["a=b"], [True], {}, {"x": 1}, [[1]]),
    *(["event", "argmax"], {"raw": "int8"}, {"origin": 0, "bytes": -1}, {"origin": 0}),
)


def places(table: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The path of every value in a table, the table's own too."""
    yield path
    if isinstance(table, dict | list):
        entries = table.items() if isinstance(table, dict) else enumerate(table)
        for key, value in entries:
            yield from places(value, (*path, key))


@st.composite
def changed(draw: st.DrawFn, kind: str, keys: tuple[str, ...]) -> Table:
    """A table of a valid file with one or two values replaced, removed or added."""
    table = copy.deepcopy(draw(st.sampled_from(tables(kind))))
    for _ in range(draw(st.integers(1, 2))):
        *way, last = draw(st.sampled_from([path for path in places(table) if path] or [("x",)]))
        owner: Any = table
        for key in way:
            owner = owner[key]
        value = copy.deepcopy(draw(st.sampled_from(VALUES)))
        match draw(st.sampled_from(("replace", "remove", "add"))):
            case "remove":
                owner.pop(last, None) if isinstance(owner, dict) else owner.pop(last)
            case "add" if isinstance(owner, dict):
                owner[draw(st.sampled_from(keys))] = value
            case _:
                owner[last] = value
    return table
