"""The differences between reports, as a page in the frame of a report's page."""

from __future__ import annotations

from collections.abc import Sequence

from tinyml_rules.report_page.page import environment, policy
from tinyml_rules.reporting.difference import words
from tinyml_rules.reporting.difference.compare import Difference


def difference_page(
    found: Sequence[Difference], alone: Sequence[str], broken: Sequence[str]
) -> str:
    """The text of the HTML file.  `alone`: which reports have no counterpart; `broken`: budgets, in
    sentences."""
    pages = environment()
    css = pages.get_template("style.css.j2").render()
    script = pages.get_template("sort.js.j2").render()
    text: str = pages.get_template("difference.html.j2").render(
        found=found,
        alone=alone,
        broken=broken,
        words=words,
        css=css,
        script=script,
        policy=policy(css, script),
    )
    return text
