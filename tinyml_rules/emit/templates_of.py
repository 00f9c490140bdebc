"""Templates: the package's, and those of operator folders outside of it."""

from __future__ import annotations

import traceback
from functools import cache
from pathlib import Path

import jinja2

from tinyml_rules.emit import loops, window_loops
from tinyml_rules.emit.c_text import comment, float_literal, names_identifier
from tinyml_rules.errors import UsageError
from tinyml_rules.ir.words import Words
from tinyml_rules.system.annotated import AnnotatedLoader
from tinyml_rules.system.kept_templates import when_rendered
from tinyml_rules.system.templates import EVERY, templates

PACKAGE = Path(__file__).parent.parent


@cache
def environment() -> jinja2.Environment:
    """Of all templates of the package."""
    folders = [PACKAGE / "ops", PACKAGE / "emit", PACKAGE]
    found = templates(folders, escapes=False, keeps_end=False, cached=EVERY, is_kept=True)
    found.filters["comment"] = when_rendered(comment)
    found.filters["float_literal"] = when_rendered(float_literal)
    found.tests["naming"] = when_rendered(names_identifier)
    return found


@cache
def annotated() -> jinja2.Environment:
    """The same with what proves the C."""
    plain = environment()
    assert plain.loader is not None
    found = plain.overlay(loader=AnnotatedLoader(plain.loader), bytecode_cache=None)
    found.globals = {**plain.globals, **loops.WORDS, **window_loops.WORDS}
    return found


def render(template: Path, words: Words, *, is_annotated: bool = False) -> str:
    """The text of a template, with its annotations or without.  Raises UsageError for a mistake in
    one outside the package."""
    name = _name_in_package(template)
    if name is not None:
        templates = annotated() if is_annotated else environment()
        return templates.get_template(name).render(words.context).strip()
    inside = environment()
    assert inside.loader is not None
    # what it includes is next to it, or is the package's
    beside = jinja2.FileSystemLoader(template.parent)
    outside = inside.overlay(loader=jinja2.ChoiceLoader([beside, inside.loader]))
    try:
        return outside.get_template(template.name).render(words.context).strip()
    except Exception as error:
        what = f"{type(error).__name__}: {error}".rstrip(": ")
        raise UsageError.at(f"{template}{_line(template, error)}", what) from error


@cache
def _name_in_package(template: Path) -> str | None:
    """What the package's loader calls it; None for one outside of the package."""
    if not template.is_relative_to(PACKAGE):
        return None
    return template.relative_to(PACKAGE).as_posix()


def _line(template: Path, error: Exception) -> str:
    """`:line` of the template, where it is known."""
    if isinstance(error, jinja2.TemplateSyntaxError):
        return f":{error.lineno}"
    frames = traceback.extract_tb(error.__traceback__)
    lines = [frame.lineno for frame in frames if Path(frame.filename) == template]
    return f":{lines[-1]}" if lines else ""
