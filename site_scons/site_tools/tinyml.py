"""Hands over to the package, so that `tools=['tinyml']` works in this checkout as it is."""

from tinyml_rules.frontends.scons.tinyml import exists, generate

__all__ = ["exists", "generate"]
