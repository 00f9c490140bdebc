"""The model once more, for the computer on which an example of a part's package is to run.

C for a part may have assembly of its processor; the bytes that a model gives are the same anywhere.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from tinyml_rules.compiler import Compiled, compile_model
from tinyml_rules.package.kind import Files
from tinyml_rules.package.order import Order
from tinyml_rules.plan.groups import Ram
from tinyml_rules.request.budgets import BUDGETS
from tinyml_rules.target.target import load_target

HOST = "host"
FOLDER = "host"


def files_for_host(order: Order, compiled: Compiled) -> Files:
    """The model's files below `host/`; none where the package is for this computer itself."""
    found = compiled_for_host(order, compiled)
    return {} if found is None else model_for_host(order, found)


def compiled_for_host(order: Order, compiled: Compiled) -> Compiled | None:
    """The model for this computer; None where the package is for that itself."""
    request = compiled.request
    if order.target.architecture == HOST or request is None:
        return None
    budgets: dict[str, Any] = dict.fromkeys(BUDGETS)
    here = replace(request, target=load_target(HOST), places=(), kernels=(), ram=Ram.FASTEST)
    return compile_model(replace(here, **budgets))


def model_for_host(order: Order, found: Compiled) -> Files:
    """Its files below `host/`."""
    files: Files = {name: found.files[name] for name in (f"{order.name}.c", f"{order.name}.h")}
    files.update(found.binaries)
    return {f"{FOLDER}/{name}": data for name, data in files.items()}
