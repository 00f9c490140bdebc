"""`run`: a model's firmware on its target's emulator, with what goes in and what comes out."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeAlias, Unpack

import numpy as np
import numpy.typing as npt

from tinyml_rules.api.compile import CompiledModel
from tinyml_rules.api.compile import compile as compiled_of
from tinyml_rules.api.html import model_html
from tinyml_rules.api.options import CompileOptions
from tinyml_rules.api.source import AnyPath, Folders, Model, explained, target_of
from tinyml_rules.arithmetic.fixed_point import dequantize_real
from tinyml_rules.compiler import compile_model
from tinyml_rules.errors import UsageError
from tinyml_rules.ir.graph import Array
from tinyml_rules.ir.interface import Interface, Port
from tinyml_rules.reporting.budgets import budgets_of, check_run
from tinyml_rules.reporting.firmware import Build, Profile, Run
from tinyml_rules.reporting.report import Report
from tinyml_rules.runners.arrays import (
    arrays_by_tensor,
    is_single_sample,
    read_arrays,
    unpack_samples,
)
from tinyml_rules.runners.model import run_on_arrays
from tinyml_rules.runners.outputs import decisions_of
from tinyml_rules.runners.pattern import pattern_inputs, pattern_text
from tinyml_rules.runners.profile import profile_on_arrays
from tinyml_rules.system.progress import Show, quietly
from tinyml_rules.target.missing import check_counts
from tinyml_rules.target.target import HOST, Target
from tinyml_rules.worst_case.budget import check_every_run

Inputs: TypeAlias = AnyPath | npt.ArrayLike | Mapping[str, npt.ArrayLike]
"""The path of a .npy or .npz file, the values of the only input, or those of each by name."""

_FIRST_VALUES = 8


@dataclass(frozen=True, eq=False, repr=False)
class RunResult:
    """What a run gave: outputs, and the figures of the build and of the slowest inference."""

    model: CompiledModel
    """what ran"""
    inputs: Mapping[str, Array]
    """the values of each input by tensor, as they were given"""
    outputs: Mapping[str, Array]
    """the values of each output by tensor, as the C gives them: int8 for most models, with a
    leading axis of samples unless one sample was given without it"""
    report: Report
    """the report of the model, with `build`, `run` and, where it was asked for, `profile`"""
    fed: str
    """which inputs it had"""
    judged: str = ""
    """with a budget of cycles: whether a bound for all inputs has judged it, or this run alone"""

    @property
    def output(self) -> Array:
        """That of a model with one output; raises UsageError for a model with several."""
        if len(self.outputs) != 1:
            names = ", ".join(map(repr, self.outputs))
            raise UsageError.at("output", f"{len(self.outputs)} outputs, expected one: {names}")
        (found,) = self.outputs.values()
        return found

    @property
    def real_outputs(self) -> dict[str, Array]:
        """The real numbers that the outputs mean, float32, by tensor."""
        ports = {port.tensor: port for port in self.model.interface.outputs}
        return {name: _real(ports[name], values) for name, values in self.outputs.items()}

    @property
    def run(self) -> Run | None:
        """Counts of the slowest inference: cycles, instructions, time, stack, energy; None on this
        computer, which counts nothing."""
        return self.report.run

    @property
    def build(self) -> Build:
        """Flash, RAM and stack of the minimal firmware, in bytes."""
        assert self.report.build is not None, "what runs was built"
        return self.report.build

    @property
    def profile(self) -> Profile | None:
        """What each node takes of the slowest inference, if `profile=True`."""
        return self.report.profile

    @property
    def cycles(self) -> int | None:
        """Of the slowest inference: counted, or estimated where only instructions are counted."""
        run = self.run
        if run is None:
            return None
        return run.estimated_cycles if run.cycles is None else run.cycles

    @property
    def instructions(self) -> int | None:
        """Of the slowest inference, where the emulator counts these."""
        return None if self.run is None else self.run.instructions

    @property
    def decisions(self) -> tuple[tuple[str, ...], ...]:
        """For each sample, what the C decides from its outputs, a phrase for each decision; empty
        phrases for a model without any."""
        interface, found = self.model.interface, self.model.compiled.decisions
        first = interface.outputs[0]
        count = self.outputs[first.tensor].size // first.count
        return tuple(
            tuple(decisions_of(interface, self.outputs, found, sample)) for sample in range(count)
        )

    def __repr__(self) -> str:
        """One line."""
        run, first = self.run, self.model.interface.outputs[0]
        count = self.outputs[first.tensor].size // first.count
        took = "" if run is None else f", {run.count:,} {run.unit}"
        report = self.report
        samples = f"{count:,} sample{'s' * (count != 1)}"
        return f"<RunResult {report.model} on {report.target}: {samples}{took}>"

    def _repr_html_(self) -> str:
        notes = [f"input: {self.fed}"]
        notes += [f"decision: {phrase}" for phrase in self.decisions[0]]
        return model_html(self.report, results=list(self._rows()), notes=notes)

    def _rows(self) -> Iterator[dict[str, object]]:
        """Each output with the first values of the first sample."""
        real = self.real_outputs
        for port in self.model.interface.outputs:
            values = self.outputs[port.tensor].reshape(-1, port.count)[0]
            meant = real[port.tensor].reshape(-1, port.count)[0]
            yield {
                "output": port.tensor,
                "shape": "x".join(map(str, port.shape)) or "scalar",
                "type": str(values.dtype),
                "values": _first(values, "g"),
                "real values": _first(meant, ".4g"),
                "largest": int(np.argmax(values)),
            }


def run(
    model: Model | CompiledModel,
    inputs: Inputs | None = None,
    target: str | Target | None = None,
    *,
    profile: bool = False,
    trace: AnyPath | None = None,
    folder: AnyPath | None = None,
    name: str = "",
    target_folders: Folders = (),
    options_file: AnyPath | None = None,
    progress: Show = quietly,
    **options: Unpack[CompileOptions],
) -> RunResult:
    """Build a model's firmware for a target, run it in the target's emulator, and count.

    `model`: what `compile` takes, or its result.  `inputs`: integers of the input's type, or
    float32 that is then quantized, of the input's shape or with a leading axis of samples, also in
    the place of a batch of one; a dictionary by tensor name for a model with several inputs, or
    the path of a .npy or .npz file; without any, one pseudo-random sample with a fixed seed.
    `target`: without one this computer, where nothing is counted.  `profile`: also count each
    node; `trace`: a file that gets when each node ran, for Perfetto.  `folder`: keep the built
    files there.  The others are as in `compile`.

    Raises what `compile` raises, UsageError for inputs that do not match, ToolError for a tool
    that is missing or fails, DoesNotFitError and OverBudgetError for what was linked or counted.
    """
    named = {"name": name, "options_file": options_file, **options}
    made = _made(model, target, named, target_folders, progress)
    wanted = _Wanted(profile or trace is not None, trace, folder)
    return _run(made, inputs, wanted, progress)


@dataclass(frozen=True)
class _Wanted:
    """What more is wanted of a run."""

    profile: bool
    trace: AnyPath | None
    folder: AnyPath | None


def _made(
    model: Model | CompiledModel,
    target: str | Target | None,
    given: dict[str, Any],
    folders: Folders,
    show: Show,
) -> CompiledModel:
    """The model compiled; UsageError for one that is compiled already, and for something else."""
    if not isinstance(model, CompiledModel):
        part = HOST if target is None else target
        return compiled_of(model, part, target_folders=folders, progress=show, **given)
    named = [key for key, value in given.items() if value]
    if target is not None and model.target != target_of(target, folders):
        named.insert(0, "target")
    if named:
        what = f"'{named[0]}' for a model that is compiled for {model.target.name} already"
        raise UsageError.at("run", what, hint="give it to compile()")
    return model


def _run(made: CompiledModel, given: Inputs | None, wanted: _Wanted, show: Show) -> RunResult:
    interface, target, request = made.interface, made.target, made.compiled.request
    assert request is not None, "the compiler says what it was asked for"
    if wanted.profile:
        check_counts(target)
    inputs, fed = _inputs(given, interface)
    where = str(given) if isinstance(given, str | os.PathLike) else "run"

    def profiled(trace: AnyPath | None = None) -> Profile:
        show(f"{interface.name}: the same with marks, for a profile")
        return profile_on_arrays(
            compile_model(replace(request, marked=True)),
            target,
            inputs,
            where=where,
            expected=found,
            run=report.run,
            trace=None if trace is None else Path(trace),
        )

    with explained(request):
        show(f"{interface.name}: building for {target.name}, and running there")
        folder = None if wanted.folder is None else Path(wanted.folder)
        outcome = run_on_arrays(made.compiled, target, inputs, where=where, folder=folder)
        report, found = outcome.report, unpack_samples(interface, outcome.output)
        if wanted.profile:
            report = replace(report, profile=profiled(wanted.trace))
        budgets, known = budgets_of(report), report.profile
        check_run(report.run, budgets, where=interface.name, profiled=lambda: known or profiled())
        judged = check_every_run(made.compiled.request)
    is_single = is_single_sample(interface, inputs)
    outputs = unpack_samples(interface, outcome.output, is_single=is_single)
    return RunResult(made, inputs, outputs, report, fed, judged)


def _inputs(given: Inputs | None, interface: Interface) -> tuple[dict[str, Array], str]:
    """The inputs by tensor name, and what is said of them."""
    if given is None:
        return pattern_inputs(interface), pattern_text(interface)
    if isinstance(given, str | os.PathLike):
        inputs, source = read_arrays(Path(given), interface), str(given)
    else:
        found = arrays_by_tensor(_arrays(given), interface, where="run")
        inputs = {port.tensor: _samples(port, found[port.tensor]) for port in interface.inputs}
        source = ", ".join(f"{key!r} {list(value.shape)}" for key, value in inputs.items())
    real = [port for port in interface.inputs if inputs[port.tensor].dtype.kind == "f"]
    scales = ", ".join(
        f"{port.tensor!r} quantized with scale {port.scale:.6g} and zero point {port.zero_point}"
        for port in real
    )
    return inputs, f"{source}{': ' if scales else ''}{scales}"


def _arrays(given: npt.ArrayLike | Mapping[str, npt.ArrayLike]) -> Array | dict[str, Array]:
    if isinstance(given, Mapping):
        return {key: np.asarray(value) for key, value in given.items()}
    return np.asarray(given)


def _samples(port: Port, values: Array) -> Array:
    """Samples in the place of a batch of one get an axis of their own."""
    is_batch = port.shape[:1] == (1,) and values.shape[1:] == port.shape[1:] and len(values) != 1
    return values.reshape(-1, *port.shape) if values.ndim and is_batch else values


def _real(port: Port, values: Array) -> Array:
    if values.dtype.kind == "f" or not port.is_quantized:
        return values.astype(np.float32)
    return dequantize_real(values, scale=port.scale, zero_point=port.zero_point)


def _first(values: Array, form: str) -> str:
    rest = " .." if values.size > _FIRST_VALUES else ""
    return " ".join(f"{value:{form}}" for value in values[:_FIRST_VALUES].tolist()) + rest
