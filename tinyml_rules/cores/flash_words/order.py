"""Words of twelve outputs, three of which take two: what flash loads."""

from __future__ import annotations

from tinyml_rules.cores.triples import triples_of

TRIPLES = triples_of(12)
