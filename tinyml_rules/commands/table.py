"""The commands: what each does, which arguments it has, and the group of the help it is in."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from tinyml_rules import __version__
from tinyml_rules.commands.accuracy import add_accuracy
from tinyml_rules.commands.compare import add_compare
from tinyml_rules.commands.compile import add_compile
from tinyml_rules.commands.completion import add_completion
from tinyml_rules.commands.diff import add_diff
from tinyml_rules.commands.fit import add_fit
from tinyml_rules.commands.image import add_image
from tinyml_rules.commands.inspect import add_inspect
from tinyml_rules.commands.lists import add_ops, add_targets
from tinyml_rules.commands.measure import add_measure
from tinyml_rules.commands.parser import CommandParser
from tinyml_rules.commands.quantize import add_quantize
from tinyml_rules.commands.replay import add_replay
from tinyml_rules.commands.report import add_report
from tinyml_rules.commands.run import add_run
from tinyml_rules.commands.size import add_size
from tinyml_rules.commands.test import add_test
from tinyml_rules.commands.tune import add_tune
from tinyml_rules.commands.where import add_where
from tinyml_rules.package.command import add_package_options
from tinyml_rules.request.command_line import add_compilation
from tinyml_rules.request.outputs import output_names


@dataclass(frozen=True)
class Command:
    """`what` it does and an `example`, for the help; `adds` add its arguments."""

    what: str
    example: str
    adds: tuple[Callable[[argparse.ArgumentParser], None], ...]


COMMANDS: Mapping[str, Mapping[str, Command]] = {
    "compile and build": {
        "compile": Command(
            f"compile a model: write {output_names()}",
            "compile sine.tflite --target uno --out build",
            (add_compilation, add_compile),
        ),
        "package": Command(
            "compile a model into a library for Arduino, Zephyr and others",
            "package arduino sine.tflite --target uno",
            (add_package_options, add_compilation),
        ),
        "image": Command(
            "write the image of a newly trained model, for a firmware that can swap it in",
            "image new.tflite --target nrf52840 --for firmware.elf",
            (add_image,),
        ),
        "where": Command(
            "print the folder with the files of a build system", "where cmake", (add_where,)
        ),
    },
    "look at a model": {
        "inspect": Command(
            "show what a model is, and whether it is supported",
            "inspect sine.tflite --target uno",
            (add_inspect,),
        ),
        "fit": Command(
            "list the parts with enough memory for a model; needs no other tools",
            "fit sine.tflite --parts stm32,nrf52",
            (add_fit,),
        ),
        "size": Command(
            "show flash, RAM and stack on several targets, as a table",
            "size sine.tflite --target uno,pico",
            (add_size,),
        ),
        "report": Command(
            "write a page of HTML with all figures and pictures",
            "report sine.tflite --target uno -o sine.html",
            (add_report,),
        ),
        "diff": Command(
            "show what changed between two reports; fail where a budget is exceeded",
            "diff old.report.json new.report.json --max-flash-growth 2%",
            (add_diff,),
        ),
        "ops": Command("list the operators that can be compiled", "ops", (add_ops,)),
        "targets": Command("list the targets", "targets", (add_targets,)),
    },
    "run and measure": {
        "run": Command(
            "build a model's firmware, run it in the target's emulator, and show its outputs",
            "run sine.tflite --target uno --profile",
            (add_compilation, add_run),
        ),
        "test": Command(
            "the same, and compare every byte of the outputs with expected ones",
            "test sine.tflite --target uno --vectors sine.npz",
            (add_compilation, add_test),
        ),
        "tune": Command(
            "measure all kernels of each layer, and keep the fastest",
            "tune kws.tflite --target pico",
            (add_compilation, add_tune),
        ),
        "measure": Command(
            "show flash and RAM of a firmware that you linked",
            "measure firmware.elf --target uno --max-ram 1k",
            (add_measure,),
        ),
    },
    "from a float model": {
        "quantize": Command(
            "convert a float model to a full-integer one",
            "quantize float.tflite --calibration samples.npy --out int8.tflite",
            (add_quantize,),
        ),
        "accuracy": Command(
            "show how often a model is right on labelled vectors; fail if that is too seldom",
            "accuracy kws.tflite --vectors labelled.npz --min 0.9",
            (add_accuracy,),
        ),
    },
    "when outputs differ": {
        "compare": Command(
            "compare every tensor with TFLM's, or those of an integer model with its float model's",
            "compare sine.tflite --target uno",
            (add_compare,),
        ),
        "replay": Command(
            "check a device's outputs, from its log, against TFLM's for the same inputs",
            "replay sine.tflite device.log --target uno",
            (add_replay,),
        ),
    },
    "for the shell": {
        "completion": Command(
            "print the script with which a shell completes commands, options and files",
            "completion bash > ~/.local/share/bash-completion/completions/tinyml_rules",
            (add_completion,),
        ),
    },
}
"""By heading and name, in the order of the help."""


def command_parser() -> CommandParser:
    """Every command with its arguments; `command` is the name of the one that is chosen."""
    parser = CommandParser(
        prog="tinyml_rules",
        usage="tinyml_rules COMMAND [ARGUMENTS]",
        description="Compile .tflite models into static C.",
        epilog="example:\n"
        "  tinyml_rules compile sine.tflite --target uno --out build\n\n"
        "`tinyml_rules COMMAND --help` lists the arguments of a command.",
    )
    parser.add_argument("--version", action="version", version=__version__)
    commands = parser.add_subparsers(
        required=True, metavar="COMMAND", dest="command", prog="tinyml_rules"
    )
    for group in COMMANDS.values():
        for name, command in group.items():
            of_command = commands.add_parser(
                name,
                help=command.what,
                description=f"{command.what[0].upper()}{command.what[1:]}.",
                epilog=f"example:\n  tinyml_rules {command.example}",
            )
            for add in command.adds:
                add(of_command)
            of_command.usage = of_command.usage or f"tinyml_rules {usage(name, of_command)}"
    parser.groups = {heading: tuple(group) for heading, group in COMMANDS.items()}
    return parser


def arguments(command: argparse.ArgumentParser) -> list[argparse.Action]:
    """All arguments but --help and those for front ends."""
    return [
        each
        for each in command._actions
        if not isinstance(each, argparse._HelpAction) and each.help != argparse.SUPPRESS
    ]


def words_of(action: argparse.Action) -> str:
    """An argument as it is typed: `--ram BYTES`."""
    names = ", ".join(action.option_strings)
    value = "" if action.nargs == 0 else str(action.metavar or action.dest.upper())
    return " ".join(filter(None, [names, value]))


def usage(name: str, command: argparse.ArgumentParser) -> str:
    """The usage of a command, in one line."""
    needed = [each for each in arguments(command) if each.required]
    has_more = len(needed) < len(arguments(command))
    return " ".join([name, *map(words_of, needed), *(["[OPTIONS]"] if has_more else [])])
