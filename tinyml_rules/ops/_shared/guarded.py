"""A user's operator with its functions guarded: any exception in them becomes an error that names
the operator's folder."""

from __future__ import annotations

import re
import traceback
from collections.abc import Callable, Iterator
from dataclasses import dataclass, is_dataclass, replace
from functools import wraps
from inspect import isgeneratorfunction
from pathlib import Path
from typing import Any

from tinyml_rules.errors import TinymlError, UsageError
from tinyml_rules.ir.c_struct import members
from tinyml_rules.ir.condition import Condition
from tinyml_rules.ir.graph import NodeView
from tinyml_rules.ir.program import Kernel, Work
from tinyml_rules.ops._shared.operands import Operand
from tinyml_rules.ops._shared.operator import Meaning, Op, Role

Function = Callable[..., Any]


def cause_of(error: BaseException, folder: Path) -> str:
    """The text of an exception, and the line in the folder that raised it."""
    what = f"{type(error).__name__}: {error}".rstrip(": ")
    if isinstance(error, SyntaxError) and error.filename is not None:
        place = f"{Path(error.filename).name}, line {error.lineno}"
        return f"{type(error).__name__}: {error.msg} ({place})"
    for frame in reversed(traceback.extract_tb(error.__traceback__)):
        if Path(frame.filename).is_relative_to(folder):
            return f"{what} ({Path(frame.filename).relative_to(folder)}, line {frame.lineno})"
    return what


@dataclass(frozen=True)
class Guard:
    """Of the operator of one folder; `shown` is what errors call it."""

    folder: Path
    shown: str

    def op(self, op: Op) -> Op:
        """The same operator; raises UsageError where the record cannot be one."""
        for what in _mistakes(op):
            raise UsageError.at(self.shown, what)
        return replace(
            op,
            meanings=tuple(map(self._meaning, op.meanings)),
            options=self._function(op.options),
            macs=self._maybe(op.macs),
            layout=self._maybe(op.layout),
            is_map=self._function(op.is_map),
            keeps_order=self._function(op.keeps_order),
            calls=self._function(op.calls),
            channels=self._function(op.channels),
        )

    def _meaning(self, meaning: Meaning) -> Meaning:
        kernels = tuple(map(self._kernel, meaning.kernels))
        return replace(
            meaning,
            operands={name: self._operand(rule) for name, rule in meaning.operands.items()},
            check=self._function(meaning.check),
            oracle=self._function(meaning.oracle),
            takes=self._function(meaning.takes),
            prepare=None if meaning.prepare is None else self._prepare(meaning.prepare, kernels),
            kernels=kernels,
            interval=self._maybe(meaning.interval),
        )

    def _operand(self, rule: Operand) -> Operand:
        count = self._function(rule.count) if callable(rule.count) else rule.count
        shape = self._function(rule.shape) if callable(rule.shape) else rule.shape
        return replace(rule, count=count, shape=shape)

    def _kernel(self, kernel: Kernel) -> Kernel:
        return replace(
            kernel,
            can=tuple(map(self._condition, kernel.can)),
            pays=tuple(map(self._condition, kernel.pays)),
            pack=self._maybe(kernel.pack),
            in_rows=None if kernel.in_rows is None else self._kernel(kernel.in_rows),
        )

    def _condition(self, condition: Condition) -> Condition:
        return replace(condition, holds=self._function(condition.holds))

    def _prepare(
        self, prepare: Callable[[NodeView], object], kernels: tuple[Kernel, ...]
    ) -> Callable[[NodeView], Work]:
        """`prepare` with its result checked: params with C types, and a kernel that takes the
        node."""
        made = self._function(prepare)

        def checked(view: NodeView) -> Work:
            work = made(view)
            if not isinstance(work, Work):
                raise self._refusal(f"prepare gives {type(work).__name__}, expected Work")
            if not is_dataclass(type(work.params)):
                raise self._refusal(f"the params are {work.params!r}, expected a dataclass")
            try:
                list(members(work.params))
            except (AssertionError, TypeError, NameError, KeyError) as error:
                raise self._refusal(f"the params are none for C: {error}") from error
            if kernels and not any(
                not kernel.requires and kernel.takes(work.facts) for kernel in kernels
            ):
                raise self._refusal("no kernel that every target can run takes these params")
            return work

        return checked

    def _refusal(self, what: str) -> TinymlError:
        return UsageError.at(self.shown, what)

    def _maybe(self, function: Function | None) -> Function | None:
        return None if function is None else self._function(function)

    def _function(self, function: Function) -> Function:
        name = getattr(function, "__name__", type(function).__name__)

        def broken(error: BaseException) -> TinymlError:
            return self._refusal(f"{name} fails: {cause_of(error, self.folder)}")

        @wraps(function)
        def generator(*arguments: Any) -> Iterator[Any]:
            try:
                yield from function(*arguments)
            except TinymlError:
                raise
            except (Exception, SystemExit) as error:
                raise broken(error) from error

        @wraps(function)
        def plain(*arguments: Any) -> Any:
            try:
                return function(*arguments)
            except TinymlError:
                raise
            except (Exception, SystemExit) as error:
                raise broken(error) from error

        return generator if isgeneratorfunction(function) else plain


def unknown_operands(op: Op, meaning: Meaning) -> list[str]:
    """Operand names in a meaning's rules that the operator does not declare."""
    known = {*op.signature.input_names, *op.signature.output_names}
    rules = meaning.operands.values()
    shapes = (rule.shape for rule in rules if isinstance(rule.shape, str))
    others = [name for rule in rules for name in (rule.type_of, rule.scale_of) if name]
    return sorted({*meaning.operands, *others, *shapes} - known)


def _mistakes(op: Op) -> Iterator[str]:
    """What is wrong with a record as such."""
    if not re.fullmatch(r"[a-z][a-z0-9_]*", op.name):
        yield f"OP.name is {op.name!r}, expected small letters, digits and underscores"
    if op.is_internal:
        yield "OP has no custom_name, which is what a model file calls the operator"
    if not is_dataclass(op.attrs):
        yield f"OP.attrs is {op.attrs!r}, expected a dataclass"
    if not op.meanings:
        yield "OP has no meanings, expected one or more"
    for meaning in op.meanings:
        has_work = meaning.prepare is not None and bool(meaning.kernels)
        if op.role in (Role.COMPUTE, Role.EFFECT) and not has_work and op.is_map is Op.is_map:
            yield "a meaning of OP lacks prepare or kernels"
        yield from (
            f"a meaning of OP has rules for {name!r}, which is no operand"
            for name in unknown_operands(op, meaning)
        )
    for kernel in op.kernels:
        if not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", kernel.name):
            yield f"kernel {kernel.name!r} has a name that is not valid in C"
        if kernel.template is not None and not kernel.template.is_file():
            yield f"kernel '{kernel.name}' has no template {kernel.template}"
