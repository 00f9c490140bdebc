"""`compile`: a model into C, its figures, and the files that a build takes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Unpack

from tinyml_rules.api.html import model_html
from tinyml_rules.api.options import CompileOptions
from tinyml_rules.api.source import (
    AnyPath,
    Folders,
    Model,
    explained,
    request_of,
    source_of,
    target_of,
)
from tinyml_rules.api.table import Table
from tinyml_rules.compiler import Compiled, compile_model
from tinyml_rules.ir.interface import Interface
from tinyml_rules.ir.text import operator_name
from tinyml_rules.reporting.parts import NodeFigures
from tinyml_rules.reporting.report import Report
from tinyml_rules.reporting.tables import model_figures
from tinyml_rules.request.outputs import suffix_of
from tinyml_rules.system.files import remove_files, write_files
from tinyml_rules.system.ours import check_ours, left_over
from tinyml_rules.system.progress import Show, quietly
from tinyml_rules.target.target import HOST, Target

_ELSEWHERE = "write into another folder, or compile the model under another name"


class Picture(str):
    """The text of an SVG file; a notebook shows the picture."""

    __slots__ = ()

    def _repr_svg_(self) -> str:
        return str(self)


@dataclass(frozen=True, eq=False, repr=False)
class CompiledModel:
    """A model as C for a target, in memory: nothing is written before `write`."""

    compiled: Compiled
    """what the stages of the compiler made"""
    target: Target
    """what it was compiled for"""

    @property
    def name(self) -> str:
        """Prefix of every C symbol."""
        return self.compiled.interface.name

    @property
    def files(self) -> dict[str, str]:
        """The text of each file by its name: C source, header, picture of the memory, report."""
        return self.compiled.texts

    @property
    def binaries(self) -> dict[str, bytes]:
        """With `weights='external'`, the file of weights by its name; else nothing."""
        return dict(self.compiled.binaries)

    @property
    def report(self) -> Report:
        """All figures that are known before a build, as records: bytes, nodes, tensors, advice."""
        return self.compiled.report

    @property
    def interface(self) -> Interface:
        """The C functions, and inputs and outputs with shapes, types, scales and zero points."""
        return self.compiled.interface

    @property
    def warnings(self) -> tuple[str, ...]:
        """What a person should hear of, although nothing is refused."""
        return self.compiled.warnings

    @property
    def memory_picture(self) -> Picture:
        """What is in the arena and when, as SVG."""
        return Picture(self.compiled.documents[f"{self.name}{suffix_of('picture')}"])

    @property
    def layers(self) -> Table[NodeFigures]:
        """The nodes of an inference with their kernels, their work and their bytes of constants."""
        nodes = self.report.nodes
        return Table(nodes, [_row(each) for each in nodes])

    def write(self, folder: AnyPath = ".") -> tuple[Path, ...]:
        """Write all files, or none: a file that is there is replaced only if it was generated.

        Returns their paths.  Files whose contents are the same keep their dates.  Raises UsageError
        for a folder that cannot be written, and for a file that is someone else's.
        """
        return write_outputs(self.compiled.outputs, Path(folder), hint=_ELSEWHERE)

    def __repr__(self) -> str:
        """One line."""
        figures = model_figures(self.report)
        return f"<CompiledModel {self.name} for {self.report.target}: {figures}>"

    def _repr_html_(self) -> str:
        return model_html(self.report, notes=self.warnings)


def compile(  # noqa: A001 - the package's `compile`, as `re.compile` is
    model: Model,
    target: str | Target = HOST,
    *,
    name: str = "",
    target_folders: Folders = (),
    options_file: AnyPath | None = None,
    progress: Show = quietly,
    **options: Unpack[CompileOptions],
) -> CompiledModel:
    """Compile a model into static C for a target.

    `model`: the path of a .tflite file or of one in a C array, the bytes of one, or a result of
    `quantize`.  `target`: a target, a part or a board; without one, portable C for this computer.
    `name`: prefix of every C symbol, by default from the file's name.  `target_folders`: folders
    with targets of your own.  `options_file`: a file with values for options that are not given,
    by default `MODEL.tinyml.toml` next to the model's file; `""` for none.  `progress` is called
    with a line for each stage.

    Raises UsageError for a wrong argument and a file that cannot be read, ModelError for a broken
    model, UnsupportedError for one that needs what there is not, DoesNotFitError and
    OverBudgetError where memory or a budget is too small.
    """
    part = target_of(target, target_folders)
    request = request_of(source_of(model, name), part, options_file, options)
    with explained(request):
        return CompiledModel(compile_model(request, progress), part)


def write_outputs(
    outputs: Mapping[str, str | bytes], folder: Path, *, hint: str
) -> tuple[Path, ...]:
    """Write files into a folder, all or none, and remove weights that are none of them any more;
    `hint`: what to do where one is there that was not generated."""
    check_ours(outputs, folder, hint=hint)
    former = left_over(outputs, folder)
    write_files(outputs, folder)
    remove_files(former)
    return tuple(folder / each for each in outputs)


def _row(node: NodeFigures) -> dict[str, object]:
    return {
        "node": node.label,
        "operator": operator_name(node.op),
        "kernel": node.kernel,
        "output": ", ".join("x".join(map(str, shape)) for shape in node.output_shapes),
        "MACs": node.macs,
        "constants": node.constant_bytes,
    }
