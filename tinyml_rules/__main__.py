"""`python -m tinyml_rules`."""

from tinyml_rules.cli import entry

entry()
