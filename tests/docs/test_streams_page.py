"""streams.md: each figure of its table is that of the compiler today."""

from __future__ import annotations

import pytest

from tests.conftest import ZooModel
from tests.docs.pages import read_page
from tests.slide.networks import spotter
from tests.support.host import host
from tinyml_rules.compiler import compile_model
from tinyml_rules.ops._shared.spatial import Padding
from tinyml_rules.request.request import Request

PAGE = read_page("how-to/streams.md")
LINES = [line for line in PAGE.splitlines() if "| SAME |" in line or "| VALID |" in line]
ROWS = [[cell.strip() for cell in line.strip("|").split("|")] for line in LINES]


def test_there_are_rows() -> None:
    assert len(ROWS) == 9


@pytest.mark.parametrize("row", ROWS, ids="-".join)
def test_row(row: list[str], zoo_model: ZooModel) -> None:
    words, padding, hop, *figures = row
    name = words.partition(",")[0]
    data = spotter(Padding[padding]) if name == "spotter" else zoo_model(name).read_bytes()
    report = compile_model(Request(data, name, host(), push_rows=True, slide=int(hop))).report
    assert report.pushes is not None
    share = report.pushes.macs / report.macs
    assert figures == [f"{report.pushes.macs:,}", f"{share:.2f}", f"{report.pushes.most_macs:,}"]
