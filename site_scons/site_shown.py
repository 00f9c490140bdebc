"""What the verbs of this project's SConstruct print when their files are made."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from site_project import SPELLING

from tinyml_rules.frontends.scons.action import PackageAction
from tinyml_rules.request.wording import worded


def show_size(target: list[Any], source: list[Any], env: Any) -> None:  # noqa: ARG001
    """Print flash, RAM, stack and the largest consumers."""
    from tinyml_rules.reporting.read import read_report  # noqa: PLC0415
    from tinyml_rules.reporting.tables import (  # noqa: PLC0415
        consumers_summary,
        peak_summary,
        size_summary,
    )

    report = read_report(Path(source[0].abspath))
    assert report.build is not None, "it is that of a firmware"
    parts = (size_summary(report), consumers_summary(report.build), peak_summary(report))
    text = "\n".join(parts)
    print(worded(text, SPELLING))


def show_page(target: list[Any], source: list[Any], env: Any) -> None:  # noqa: ARG001
    """Print where it lies."""
    print(f"REPORT  {source[0]}")


def show_run(target: list[Any], source: list[Any], env: Any) -> None:  # noqa: ARG001
    """Print sizes, speed and the results of the demo."""
    import numpy as np  # noqa: PLC0415 - only when there is work

    from models.demo import demo_lines  # noqa: PLC0415
    from tinyml_rules.reporting.profile import profile_lines  # noqa: PLC0415
    from tinyml_rules.reporting.read import read_report  # noqa: PLC0415
    from tinyml_rules.reporting.tables import run_summary  # noqa: PLC0415

    report = read_report(Path(source[0].abspath))
    outputs = dict(np.load(source[1].abspath, allow_pickle=False))
    print(run_summary(report))
    print("\n".join(demo_lines(env["MANIFEST"].demo, report.interface, outputs)))
    if report.profile is not None:
        print("\n".join(profile_lines(report.profile)))


def show_test(target: list[Any], source: list[Any], env: Any) -> None:  # noqa: ARG001
    """Print what was compared."""
    print(Path(source[0].abspath).read_text(encoding="utf-8").strip())


SHOW_SIZE = PackageAction(show_size, None, variables=())
SHOW_PAGE = PackageAction(show_page, None, variables=())
SHOW_RUN = PackageAction(show_run, None, variables=())
SHOW_TEST = PackageAction(show_test, None, variables=())

__all__ = ["SHOW_PAGE", "SHOW_RUN", "SHOW_SIZE", "SHOW_TEST"]
