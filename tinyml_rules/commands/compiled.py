"""The model that the options name, compiled as they say."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import replace

from tinyml_rules.commands.console import Console
from tinyml_rules.compiler import Compiled, compile_model
from tinyml_rules.request.command_line import chosen_name, model_bytes, request_of
from tinyml_rules.request.request import Request
from tinyml_rules.request.wording import worded
from tinyml_rules.target.target import Target


def requested(options: argparse.Namespace, target: Target) -> Request:
    """What is to be compiled."""
    return request_of(options, model_bytes(options), chosen_name(options), target)


def compiled_model(
    options: argparse.Namespace,
    target: Target,
    console: Console,
    *,
    prepare: Callable[[Request], Request] | None = None,
) -> Compiled:
    """The model; its warnings are printed first.  `prepare` may ask for something else."""
    request = requested(options, target)
    compiled = compile_model(prepare(request) if prepare else request, console.show)
    for warning in compiled.warnings:
        console.tell(worded(warning, options.spelling))
    return compiled


def marked_model(options: argparse.Namespace, target: Target) -> Compiled:
    """The model with marks, for a profile."""
    return compile_model(replace(requested(options, target), marked=True))
