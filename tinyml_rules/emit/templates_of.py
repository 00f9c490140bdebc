"""Templates of kernels: the package's, and those of operator folders outside of it."""

from __future__ import annotations

import traceback
from collections.abc import Mapping
from pathlib import Path

import jinja2

from tinyml_rules.errors import UsageError

PACKAGE = Path(__file__).parent.parent


def render(environment: jinja2.Environment, template: Path, words: Mapping[str, object]) -> str:
    """The text of a template.  Raises UsageError for a mistake in one outside the package."""
    if template.is_relative_to(PACKAGE):
        name = template.relative_to(PACKAGE).as_posix()
        return environment.get_template(name).render(words).strip()
    assert environment.loader is not None
    # what it includes lies beside it, or is the package's
    beside = jinja2.FileSystemLoader(template.parent)
    outside = environment.overlay(loader=jinja2.ChoiceLoader([beside, environment.loader]))
    try:
        return outside.get_template(template.name).render(words).strip()
    except Exception as error:
        what = f"{type(error).__name__}: {error}".rstrip(": ")
        raise UsageError.at(f"{template}{_line(template, error)}", what) from error


def _line(template: Path, error: Exception) -> str:
    """`:line` of the template, where it is known."""
    if isinstance(error, jinja2.TemplateSyntaxError):
        return f":{error.lineno}"
    frames = traceback.extract_tb(error.__traceback__)
    lines = [frame.lineno for frame in frames if Path(frame.filename) == template]
    return f":{lines[-1]}" if lines else ""
