"""Crates that the command makes, built by Debian's cargo without network, and Rust programs around
them: all inputs of a sample in, all outputs out."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from tests.package.package_builds import make_package
from tinyml_rules.compiler import Compiled, compile_model
from tinyml_rules.ir.interface import Interface, Port
from tinyml_rules.package.kinds import KINDS
from tinyml_rules.package.rust_words import rust_type
from tinyml_rules.request.options import parsed
from tinyml_rules.request.request import Request
from tinyml_rules.target.target import load_target

CARGO, RUSTC, RUSTDOC = "/usr/bin/cargo", "/usr/bin/rustc", "/usr/bin/rustdoc"
"""Debian's: another one on the path has no crates and no source of `core`."""
REGISTRY = "/usr/share/cargo/registry"
REGISTRY_CONFIG = f"""\
[source.crates-io]
replace-with = "debian"
[source.debian]
directory = "{REGISTRY}"
"""
_PROFILES = """
[profile.dev]
debug = 0
panic = "abort"
[profile.release]
panic = "abort"
"""


@dataclass(frozen=True)
class Package:
    """A package to be made: its model, the part, and options of the command."""

    name: str
    model: Path
    target: str = "host"
    options: tuple[str, ...] = ()

    def make(self, folder: Path) -> Path:
        """The crate, in a folder below this one."""
        place = folder / self.name
        name, target = self.name, self.target
        return make_package(
            "rust", place, *self.options, model=self.model, name=name, target=target
        )

    @property
    def interface(self) -> Interface:
        """Of the C in it."""
        return self.compiled().interface

    @cache  # noqa: B019 - as long as a run of tests
    def compiled(self, target: str = "") -> Compiled:
        """The C in it, for the part or for another one."""
        options = parsed(dict(_option(word) for word in self.options))
        part = load_target(target or self.target)
        request = Request.of(self.model.read_bytes(), self.name, part, options)
        return compile_model(KINDS["rust"].prepare(request))


def _option(word: str) -> tuple[str, object]:
    name, is_value, value = word.removeprefix("--").partition("=")
    name = name.replace("-", "_")
    if not is_value:
        return name, True
    return name, int(value) if value.isdigit() else value


def workspace(folder: Path, packages: Sequence[Package], programs: dict[str, str]) -> Path:
    """The packages, and a crate of programs that may use them all: each by name a `pub fn main`,
    in one that runs the program that its argument names."""
    for package in packages:
        package.make(folder)
    (folder / ".cargo").mkdir()
    (folder / ".cargo" / "config.toml").write_text(REGISTRY_CONFIG)
    members = ", ".join(f'"{each}"' for each in ["programs", *(p.name for p in packages)])
    (folder / "Cargo.toml").write_text(f"[workspace]\nmembers = [{members}]\n{_PROFILES}")
    own = folder / "programs"
    (own / "src").mkdir(parents=True)
    lines = "".join(f'{p.name} = {{ path = "../{p.name}" }}\n' for p in packages)
    heading = '[package]\nname = "programs"\nversion = "1.0.0"\nedition = "2021"\n'
    (own / "Cargo.toml").write_text(f"{heading}[dependencies]\n{lines}")
    for name, text in programs.items():
        (own / "src" / f"of_{name}.rs").write_text(text)
    modules = "".join(f"mod of_{name};\n" for name in programs)
    arms = "".join(f'"{name}" => of_{name}::main(),\n' for name in programs)
    run = f"match std::env::args().nth(1).unwrap().as_str() {{ {arms} _ => unreachable!() }}"
    (own / "src" / "main.rs").write_text(f"{modules}fn main() {{ {run} }}\n")
    return folder


def cargo(
    folder: Path, *words: str, variables: dict[str, str] | None = None, status: int = 0
) -> str:
    """What cargo prints, which takes no warning; its outputs are in `folder/target`."""
    environment = {
        **os.environ,
        **{"RUSTC": RUSTC, "RUSTDOC": RUSTDOC, "CARGO_HOME": str(folder / ".home")},
        **{"RUSTFLAGS": "-Dwarnings", "RUSTDOCFLAGS": "-Dwarnings", "CARGO_NET_OFFLINE": "true"},
        **(variables or {}),
    }
    done = subprocess.run(
        [CARGO, *words],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert done.returncode == status, done.stdout + done.stderr
    return done.stdout + done.stderr


def filled(interface: Interface) -> str:
    """Statements that fill all inputs of `model` from the bytes `sample`."""
    lines, first = [], 0
    for port in interface.inputs:
        method, size = _method(interface, port), port.dtype.size_bytes
        given = f"sample[{first}..{first + port.size_bytes}]"
        value = f"{rust_type(port)}::from_le_bytes(bytes.try_into().unwrap())"
        value = "bytes[0] != 0" if port.c_type == "bool" else value
        lines.append(
            f"for (value, bytes) in model.{method}().iter_mut().zip({given}.chunks_exact({size}))"
            f" {{ *value = {value}; }}"
        )
        first += port.size_bytes
    return "\n".join(lines)


def shown(interface: Interface) -> str:
    """A function that appends the bytes of all outputs."""
    lines = [
        f"for value in outputs.{_method(interface, port)}() {{ found.extend("
        f"{'[u8::from(*value)]' if port.c_type == 'bool' else 'value.to_le_bytes()'}); }}"
        for port in interface.outputs
    ]
    parameters = f"outputs: &{interface.name}::Outputs<'_>, found: &mut Vec<u8>"
    return f"fn show({parameters}) {{\n{chr(10).join(lines)}\n}}\n"


def streamed(interface: Interface, runs: str, *, bytes_each: int = 0) -> str:
    """A program that reads samples from stdin; each of two threads runs every other one with a
    model of its own, by `runs`, and the first thread's outputs come first."""
    size = bytes_each or sum(port.size_bytes for port in interface.inputs)
    return f"""\
use std::io::{{Read, Write}};
use std::thread;

{shown(interface)}
fn each(mut model: {interface.name}::Model, samples: Vec<u8>, first: usize) -> Vec<u8> {{
    let mut found = Vec::new();
    for sample in samples.chunks_exact({size}).skip(first).step_by(2) {{
        {runs}
    }}
    found
}}

pub fn main() {{
    let mut samples = Vec::new();
    std::io::stdin().read_to_end(&mut samples).unwrap();
    let (one, other) = ({interface.name}::Model::new(), {interface.name}::Model::new());
    let given = samples.clone();
    let second = thread::spawn(move || each(other, given, 1));
    let mut found = each(one, samples, 0);
    found.extend(second.join().unwrap());
    std::io::stdout().write_all(&found).unwrap();
}}
"""


def _method(interface: Interface, port: Port) -> str:
    return port.accessor.removeprefix(f"{interface.name}_")


def output_of(folder: Path, name: str, given: bytes) -> bytes:
    """What a program of a built workspace writes for what it is given."""
    return printed_bytes(folder / "target" / "debug" / "programs", given, name)


def printed_bytes(program: Path, given: bytes, *words: str) -> bytes:
    """The same of any program."""
    command: list[str | Path] = [program, *words]
    done = subprocess.run(command, input=given, capture_output=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout
