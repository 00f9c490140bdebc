"""tinyml_rules: compile a .tflite model, as a build step, into static C for microcontrollers.

    import tinyml_rules as tr
    compiled = tr.compile("sine.tflite", "atmega328")
    compiled.write("build")

The way through the package is `compiler.py`: read that file first.  The functions are those of
`api/`; a name is imported when it is used, so that importing the package costs nothing.
"""

from importlib import import_module
from typing import Any

__version__ = "0.2.0"

_EXPORTED = {
    "CompileOptions": "api.options",
    "CompiledModel": "api.compile",
    "DoesNotFitError": "errors",
    "FitResult": "api.fit",
    "Inspection": "api.inspect",
    "ModelError": "errors",
    "OverBudgetError": "errors",
    "Problem": "errors",
    "QuantizeOptions": "api.options",
    "QuantizedModel": "api.quantize",
    "Report": "reporting.report",
    "ReportPage": "api.report",
    "RunResult": "api.run",
    "SizeTable": "api.size",
    "Table": "api.table",
    "Target": "target.target",
    "TargetError": "errors",
    "TinymlError": "errors",
    "ToolError": "errors",
    "UnsupportedError": "errors",
    "UsageError": "errors",
    "WrongOutputError": "errors",
    "compile": "api.compile",
    "fit": "api.fit",
    "inspect": "api.inspect",
    "load_target": "target.target",
    "quantize": "api.quantize",
    "report": "api.report",
    "run": "api.run",
    "size": "api.size",
}
"""What users import, and the module that has it.  No room has such a name, because a submodule that
is imported becomes an attribute of the package."""
__all__ = ["__version__", *_EXPORTED]  # noqa: PLE0604 - all are strings


def __getattr__(name: str) -> Any:
    if name not in _EXPORTED:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = getattr(import_module(f"{__name__}.{_EXPORTED[name]}"), name)
    if not isinstance(found, type) and callable(found):
        found = import_module(f"{__name__}.api.spelled").spelled(found)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
