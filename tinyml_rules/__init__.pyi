"""The names of the package, for type checkers and editors.

As generate/python_options.py writes them: do not edit.
"""

from tinyml_rules.api.compile import CompiledModel as CompiledModel
from tinyml_rules.api.compile import compile as compile  # noqa: A004 - as `re.compile` does
from tinyml_rules.api.fit import FitResult as FitResult
from tinyml_rules.api.fit import fit as fit
from tinyml_rules.api.inspect import Inspection as Inspection
from tinyml_rules.api.inspect import inspect as inspect
from tinyml_rules.api.options import CompileOptions as CompileOptions
from tinyml_rules.api.options import QuantizeOptions as QuantizeOptions
from tinyml_rules.api.quantize import QuantizedModel as QuantizedModel
from tinyml_rules.api.quantize import quantize as quantize
from tinyml_rules.api.report import ReportPage as ReportPage
from tinyml_rules.api.report import report as report
from tinyml_rules.api.run import RunResult as RunResult
from tinyml_rules.api.run import run as run
from tinyml_rules.api.size import SizeTable as SizeTable
from tinyml_rules.api.size import size as size
from tinyml_rules.api.table import Table as Table
from tinyml_rules.errors import DoesNotFitError as DoesNotFitError
from tinyml_rules.errors import ModelError as ModelError
from tinyml_rules.errors import OverBudgetError as OverBudgetError
from tinyml_rules.errors import Problem as Problem
from tinyml_rules.errors import TargetError as TargetError
from tinyml_rules.errors import TinymlError as TinymlError
from tinyml_rules.errors import ToolError as ToolError
from tinyml_rules.errors import UnsupportedError as UnsupportedError
from tinyml_rules.errors import UsageError as UsageError
from tinyml_rules.errors import WrongOutputError as WrongOutputError
from tinyml_rules.reporting.report import Report as Report
from tinyml_rules.target.target import Target as Target
from tinyml_rules.target.target import load_target as load_target

__version__: str
__all__: list[str]
_EXPORTED: dict[str, str]
