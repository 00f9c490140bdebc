"""What continuous integration runs: a comment with what a change costs, a check for pre-commit.

Alone in the package it reads variables of the environment, by which a service says what a pull
request is.  `action.yml` and `.pre-commit-hooks.yaml` at the project's root call it.
"""
