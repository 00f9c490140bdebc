"""The commands: what each does, and the group of the help it is in.  Each is a module of its name,
which is imported when the command is chosen."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from typing import Protocol, cast

from tinyml_rules import __version__
from tinyml_rules.commands.console import Console
from tinyml_rules.commands.parser import CommandParser
from tinyml_rules.request.outputs import output_names


@dataclass(frozen=True)
class Command:
    """`what` it does and an `example`, for the help."""

    what: str
    example: str


class CommandModule(Protocol):
    """The module of a command."""

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        """Add all arguments of the command."""

    def run(self, options: argparse.Namespace, console: Console) -> None:
        """Do what the command does; raises TinymlError."""


def module_of(name: str) -> CommandModule:
    """The module of the command with this name."""
    return cast(CommandModule, import_module(f"{__package__}.{name}"))


COMMANDS: Mapping[str, Mapping[str, Command]] = {
    "compile and build": {
        "compile": Command(
            f"compile a model: write {output_names()}",
            "compile sine.tflite --target uno --out build",
        ),
        "init": Command(
            "write a firmware around a model that builds and tests at once, or say what to add",
            "init cmake sine.tflite --target uno",
        ),
        "package": Command(
            "compile a model into a library for Arduino, Zephyr and others",
            "package arduino sine.tflite --target uno",
        ),
        "image": Command(
            "write the image of a newly trained model, for a firmware that can swap it in",
            "image new.tflite --target nrf52840 --for firmware.elf",
        ),
        "manifest": Command(
            "record what a build was made of and by, or verify that its files are still the same",
            "manifest build/sine.report.json firmware.elf --compiler avr-gcc -o manifest.json",
        ),
        "where": Command("print the folder with the files of a build system", "where cmake"),
    },
    "look at a model": {
        "inspect": Command(
            "show what a model is, and whether it is supported",
            "inspect sine.tflite --target uno",
        ),
        "fit": Command(
            "list the parts with enough memory for a model; needs no other tools",
            "fit sine.tflite --parts stm32,nrf52",
        ),
        "size": Command(
            "show flash, RAM and stack on several targets, as a table",
            "size sine.tflite --target uno,pico",
        ),
        "report": Command(
            "write a page of HTML with all figures and pictures",
            "report sine.tflite --target uno -o sine.html",
        ),
        "diff": Command(
            "show what changed between two reports; fail where a budget is exceeded",
            "diff old.report.json new.report.json --max-flash-growth 2%",
        ),
        "ops": Command("list the operators that can be compiled", "ops"),
        "targets": Command("list the targets", "targets"),
    },
    "run and measure": {
        "run": Command(
            "build a model's firmware, run it in the target's emulator, and show its outputs",
            "run sine.tflite --target uno --profile",
        ),
        "test": Command(
            "the same, and compare every byte of the outputs with expected ones",
            "test sine.tflite --target uno --vectors sine.npz",
        ),
        "wcet": Command(
            "show what an inference takes at most for all inputs",
            "wcet sine.tflite --target uno --measure 100",
        ),
        "tune": Command(
            "measure all kernels of each layer, and keep the fastest",
            "tune kws.tflite --target pico",
        ),
        "measure": Command(
            "show flash and RAM of a firmware that you linked",
            "measure firmware.elf --target uno --max-ram 1k",
        ),
    },
    "from a float model": {
        "convert": Command(
            "convert a model of Keras, TensorFlow, ONNX or PyTorch into a .tflite file",
            "convert gesture.keras --out gesture.tflite",
        ),
        "quantize": Command(
            "convert a float model to a full-integer one",
            "quantize float.tflite --calibration samples.npy --out int8.tflite",
        ),
        "accuracy": Command(
            "show how often a model is right on labelled vectors; fail if that is too seldom",
            "accuracy kws.tflite --vectors labelled.npz --min 0.9",
        ),
    },
    "when outputs differ": {
        "compare": Command(
            "compare every tensor with TFLM's, or those of an integer model with its float model's",
            "compare sine.tflite --target uno",
        ),
        "replay": Command(
            "check a device's outputs, from its log, against TFLM's for the same inputs",
            "replay sine.tflite device.log --target uno",
        ),
    },
    "for the shell": {
        "completion": Command(
            "print the script with which a shell completes commands, options and files",
            "completion bash > ~/.local/share/bash-completion/completions/tinyml_rules",
        ),
    },
}
"""By heading and name, in the order of the help."""


def command_parser(*, is_whole: bool = False) -> CommandParser:
    """Every command; `command` is the name of the one that is chosen.  A command has its arguments
    once it is parsed, and at once if the parser `is_whole`."""
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
            of_command.add_later = partial(_add_arguments, name)
            if is_whole:
                of_command.add_arguments()
    parser.groups = {heading: tuple(group) for heading, group in COMMANDS.items()}
    return parser


def _add_arguments(name: str, command: argparse.ArgumentParser) -> None:
    module_of(name).add_arguments(command)
    command.usage = command.usage or f"tinyml_rules {usage(name, command)}"


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
