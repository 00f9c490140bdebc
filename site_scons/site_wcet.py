"""The verb `wcet`: what an inference takes at most for all inputs."""

from __future__ import annotations

from typing import Any

from tinyml_rules.frontends.scons.action import PackageAction


def show_worst_case(target: list[Any], source: list[Any], env: Any) -> None:  # noqa: ARG001
    """Print the bound; raises OverBudgetError."""
    from tinyml_rules.frontends.scons.model import request_of  # noqa: PLC0415
    from tinyml_rules.worst_case.budget import check_worst_case  # noqa: PLC0415
    from tinyml_rules.worst_case.inference import worst_case_of  # noqa: PLC0415
    from tinyml_rules.worst_case.text import worst_case_lines  # noqa: PLC0415 - when there is work

    request = request_of(source[0], env, name=env["MANIFEST"].name)
    found = worst_case_of(request)
    print("\n".join(worst_case_lines(found)))
    if request.max_cycles is not None:
        check_worst_case(found, {"max_cycles": request.max_cycles})


WCET = PackageAction(show_worst_case, None, variables=())
