"""`inspect`: what a model is, whether it is supported, and what a target makes of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from tinyml_rules.api.html import table_html
from tinyml_rules.api.source import Folders, Model, paths_of, source_of, target_of
from tinyml_rules.api.table import Table
from tinyml_rules.compiler import compile_model
from tinyml_rules.errors import Problem, TinymlError
from tinyml_rules.ir.graph import Graph, NodeView
from tinyml_rules.ir.text import counted_nodes, operator_name
from tinyml_rules.lower.reasons import NodeVerdicts
from tinyml_rules.model_file.reader import read_model
from tinyml_rules.ops import load_operators
from tinyml_rules.overview.data import overview_data
from tinyml_rules.overview.facts import NodeFacts, Overview, overview
from tinyml_rules.overview.kernels import kernel_data, kernel_lines, kernels_of
from tinyml_rules.overview.outcome import outcome_data, outcome_facts, outcome_lines
from tinyml_rules.overview.text import everything, screen
from tinyml_rules.overview.words import options_text
from tinyml_rules.reporting.report import Report
from tinyml_rules.request.options_file import options_beside
from tinyml_rules.request.request import Request
from tinyml_rules.request.wording import worded
from tinyml_rules.system.progress import Show, quietly
from tinyml_rules.target.target import HOST, Target


@dataclass(frozen=True, eq=False, repr=False)
class Inspection:
    """What is known of a model, supported or not, and of what a target makes of it."""

    overview: Overview
    """nodes with their work and constants, totals, and everything that is wrong"""
    target: Target | None = None
    """the target that was asked about"""
    outcome: Report | TinymlError | None = None
    """what compiling it for the target gives: a report, or the error; None without a target, and
    for a model that is not supported"""
    kernels: tuple[NodeVerdicts, ...] = ()
    """with `kernels=True`, every kernel for each node, and what is against it"""

    @property
    def graph(self) -> Graph:
        """The model as it is in the file: tensors, nodes, inputs and outputs."""
        return self.overview.graph

    @property
    def is_supported(self) -> bool:
        """Whether all of it can be compiled."""
        return not self.overview.problems

    @property
    def problems(self) -> tuple[Problem, ...]:
        """Everything that is not supported, each with its node and, where there is one, a hint."""
        return self.overview.problems

    @property
    def cautions(self) -> tuple[Problem, ...]:
        """Warnings of a supported model."""
        return self.overview.cautions

    @property
    def report(self) -> Report | None:
        """The report for the target, where it was compiled."""
        return self.outcome if isinstance(self.outcome, Report) else None

    @property
    def layers(self) -> Table[NodeFacts]:
        """The nodes of the file with their options, parameters and multiply-accumulates."""
        nodes = self.overview.nodes
        return Table(nodes, [_row(self.overview, each) for each in nodes])

    def to_json(self) -> dict[str, Any]:
        """Everything but the values of constants, as `inspect --json` prints it."""
        found = overview_data(self.overview)
        if self.target is not None:
            found["target"] = outcome_data(self.target, self.outcome)
        return found

    def kernel_data(self) -> list[dict[str, Any]]:
        """The kernels, as `inspect --kernels --json` prints them."""
        return kernel_data(self.kernels)

    def text(self, *, is_all: bool = False) -> str:
        """What the command prints: a screen, or every node with its options and tensors."""
        lines = [] if self.target is None else list(outcome_lines(self.target, self.outcome))
        text = (everything if is_all else screen)(self.overview, target_lines=lines)
        return "\n".join((text, "", *kernel_lines(self.kernels))) if self.kernels else text

    def __str__(self) -> str:
        """A screen."""
        return self.text()

    def __repr__(self) -> str:
        """One line."""
        found, count = self.overview, len(self.problems)
        problems = "supported" if not count else f"{count} problem{'s' * (count != 1)}"
        return f"<Inspection {found.graph.name}: {counted_nodes(len(found.nodes))}, {problems}>"

    def _repr_html_(self) -> str:
        found, graph = self.overview, self.graph
        notes = [
            f"{counted_nodes(len(found.nodes))}, {found.parameters:,} parameters, "
            f"{found.macs:,} multiply-accumulates, file of {found.file_bytes:,} B"
        ]
        notes += map(str, (*self.problems, *self.cautions))
        if self.target is not None:
            notes += outcome_facts(self.target, self.outcome)
        return table_html(self.layers.rows, title=graph.name, notes=notes)


def inspect(
    model: Model,
    target: str | Target | None = None,
    *,
    kernels: bool = False,
    name: str = "",
    target_folders: Folders = (),
    operators: Folders = (),
    progress: Show = quietly,
) -> Inspection:
    """Look at a model, one that is not supported included.

    `model`: as in `compile`.  `target`: also compile it for this target; `kernels`: also say why
    each node has its kernel there.  `operators`: folders of operators of your own.

    Raises ModelError for a broken file, UsageError for one that cannot be read; what is not
    supported is in the result.
    """
    source = source_of(model, name)
    chosen: dict[str, Any] = options_beside(source.path) if source.path else {}
    if operators:
        chosen["operators"] = paths_of(operators)
    known = load_operators(chosen.get("operators", ()))
    progress(f"{source.name}: reading {len(source.model):,} bytes")
    graph = read_model(source.model, name=source.name, operators=known)
    wanted = HOST if target is None and kernels else target
    part = None if wanted is None else target_of(wanted, target_folders)
    progress(f"{source.name}: judging {counted_nodes(len(graph.nodes))}")
    features = frozenset() if part is None else part.features
    found = overview(graph, known, file_bytes=len(source.model), features=features)
    if part is None or found.problems:
        return Inspection(_worded(found), part)
    request = Request.of(model=source.model, name=source.name, target=part, options=chosen)
    outcome = _outcome(request, progress)
    return Inspection(_worded(found), part, outcome, _kernels(request) if kernels else ())


def _worded(found: Overview) -> Overview:
    """With hints that can be typed here, before lines are made of them."""
    problems, cautions = _in_words(found.problems), _in_words(found.cautions)
    return replace(found, problems=problems, cautions=cautions)


def _in_words(problems: Sequence[Problem]) -> tuple[Problem, ...]:
    return tuple(replace(each, hint=worded(each.hint)) for each in problems)


def _outcome(request: Request, show: Show) -> Report | TinymlError:
    try:
        return compile_model(request, show).report
    except TinymlError as error:
        return error


def _kernels(request: Request) -> tuple[NodeVerdicts, ...]:
    """Of the nodes; none where no kernels can be chosen, which the outcome says."""
    try:
        return kernels_of(request)
    except TinymlError:
        return ()


def _row(found: Overview, each: NodeFacts) -> dict[str, object]:
    node, graph = each.node, found.graph
    return {
        "node": node.index,
        "operator": operator_name(node.op),
        "options": options_text(NodeView(graph, node)),
        "output": ", ".join(
            "x".join(map(str, graph.tensors[index].shape)) for index in node.outputs
        ),
        "parameters": each.parameters,
        "MACs": each.macs,
        "supported": "yes" if each.is_supported else "no",
    }
