"""`python -m tinyml_rules diff`: two builds of one model, and reports of whatever origin."""

from __future__ import annotations

import io
import json
import re
import shutil
from collections.abc import Callable
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

import pytest
from markdown_it import MarkdownIt

from tests.frontends.builds import SINE
from tests.support.browser import Browser
from tests.support.hand_written import target_or_skip
from tinyml_rules.cli import main

PART = "atmega328"
HOSTILE = "</code><script>alert(1)</script>|`@all`|\n\u202e[a](http://a.b)" + "x" * 90
CELLS = """\
[...document.querySelectorAll("tbody tr")].map(
  (row) => [...row.cells].map((cell) => cell.textContent).join("\\t"))"""
Ran = Callable[..., tuple[int, str, str]]
Report = dict[str, Any]


@pytest.fixture(scope="module")
def reports(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with reports of two builds of the sine, one with its layers, one as a table."""
    target_or_skip(PART)
    folder = tmp_path_factory.mktemp("reports")
    shutil.copy2(SINE / "sine.tflite", folder)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        for name, goal in (("table", "balanced"), ("layers", "layers")):
            words = ["sine.tflite", "--target", PART, f"--optimize={goal}", "--profile", "--json"]
            (folder / f"{name}.report.json").write_text(_printed("run", *words))
    return folder


def _printed(*words: str) -> str:
    with redirect_stdout(io.StringIO()) as printed:
        assert main(words) == 0
    return printed.getvalue()


@pytest.fixture
def command(
    reports: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Ran:
    """A function from arguments to the status and what is printed, beside the reports."""
    monkeypatch.chdir(reports)

    def run(*words: str | Path) -> tuple[int, str, str]:
        status = main(["diff", *map(str, words)])
        printed = capsys.readouterr()
        return status, printed.out, printed.err

    return run


def read(folder: Path, name: str) -> Report:
    """One of the reports."""
    found: Report = json.loads((folder / f"{name}.report.json").read_text())
    return found


def test_totals_and_what_they_are_made_of(reports: Path, command: Ran) -> None:
    """Totals are those of the reports; what changed adds up to the change of each total."""
    status, printed, told = command("table.report.json", "layers.report.json", "--json")
    assert (status, told) == (0, "")
    old, new = read(reports, "table"), read(reports, "layers")
    (model,) = json.loads(printed)["models"]
    for each in model["figures"]:
        before, now = old[each["key"]], new[each["key"]]
        assert (each["old"], each["new"], each["change"]) == (before, now, now - before)
    by_key = {each["key"]: each["changes"] for each in model["sections"]}
    keys = {
        "flash_bytes": "flash_bytes",
        "node_constants": "constant_bytes",
        "stack_path": "stack_bytes",
        "ram_bytes": "static_ram_bytes",
    }
    for section, key in keys.items():
        assert sum(each["change"] for each in by_key[section]) == new[key] - old[key]
        sizes = [abs(each["change"]) for each in by_key[section]]
        assert sizes == sorted(sizes, reverse=True)
    assert sum(each["change"] for each in by_key["node_counts"]) == sum(
        sum(node["count"] for node in report["profile"]["nodes"]) * sign
        for report, sign in ((new, 1), (old, -1))
    )


def test_text(command: Ran) -> None:
    """Numbers with separators, by how much, what is new and gone; nothing for the same."""
    status, printed, _ = command("table.report.json", "layers.report.json")
    lines = [" ".join(line.split()) for line in printed.splitlines()]
    assert (status, lines[0]) == (0, f"sine on {PART}")
    assert "cycles 19 4,418 +4,399 +23,152.6 %" in lines
    assert "node 2 (LOOKUP) 256 B 0 B -256 B gone" in lines
    status, printed, _ = command("table.report.json", "table.report.json")
    assert status == 0
    assert all(line.endswith(" 0") for line in printed.splitlines()[2:])


def test_budgets(reports: Path, command: Ran) -> None:
    """Growth in bytes and in percent, to the byte; absolute ones too."""
    old, new = read(reports, "table"), read(reports, "layers")
    pair = ("table.report.json", "layers.report.json")
    grown = new["flash_bytes"] - old["flash_bytes"]
    assert command(*pair, f"--max-flash-growth={grown}", f"--max-cycles={new['cycles']}")[0] == 0
    status, printed, told = command(*pair, f"--max-flash-growth={grown - 1}")
    assert status == 1
    assert printed.startswith("sine on")
    assert told.startswith(
        f"sine on {PART}: error: grew by {grown:,} to {new['flash_bytes']:,} bytes of flash, "
        f"1 more than --max-flash-growth={grown - 1}; largest: sine_channel_fours with +"
    )
    percent = -(-100 * grown // old["flash_bytes"])
    assert command(*pair, f"--max-flash-growth={percent}%")[0] == 0
    status, _, told = command(
        *pair, f"--max-flash-growth={percent - 1}%", "--max-stack=1", "--max-cycles-growth=0"
    )
    assert (status, told.count("error:")) == (1, 3)
    assert "largest: node 1 (FULLY_CONNECTED) with +2,694, node 0" in told
    assert command(*reversed(pair), "--max-flash-growth=0", "--max-arena-growth=0")[0] == 0
    status, _, told = command(*pair, "--max-flash-growth=some")
    assert (status, told) == (
        2,
        "max_flash_growth: error: found 'some', expected a number, or one with %\n",
    )


def test_other_figures_targets_and_models(reports: Path, command: Ran) -> None:
    """What is in one report alone, or of something else, is said and not compared."""
    old = read(reports, "table")
    for key in ("cycles", "profile", "symbols", "stack_path", "flash_bytes"):
        del old[key]
    (reports / "older.report.json").write_text(json.dumps({**old, "model": "cosine"}))
    status, printed, _ = command("older.report.json", "layers.report.json")
    assert status == 0
    assert "two models: 'cosine' before, 'sine' now" in printed
    assert "flash: not in the old" in printed
    assert "by symbol" not in printed
    status, _, told = command("older.report.json", "layers.report.json", "--max-flash-growth=9")
    assert status == 2
    assert "--max-flash-growth=9 cannot be checked: the old report has no figure in bytes" in told
    assert command("layers.report.json", "older.report.json", "--max-cycles=9")[0] == 2


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("{", "not valid JSON: "),
        ("[]", "not a report of a model, expected the file NAME.report.json"),
        ('{"model": "a"}', "not a report of a model"),
        ('{"model": "a", "target": "b", "flash_bytes": "9"}', "'flash_bytes': error: found '9'"),
        ('{"model": "a", "target": "b", "cycles": NaN}', "not valid JSON: NaN is no number"),
        ("[" * 100_000, "not valid JSON: "),
        (f'{{"model": "a", "target": "b", "cycles": {"9" * 9000}}}', "not valid JSON: "),
        ("\xff", "not valid JSON: "),
    ],
)
def test_broken_files(text: str, expected: str, reports: Path, command: Ran) -> None:
    """One error that names the file."""
    (reports / "broken.json").write_bytes(text.encode("latin-1"))
    for pair in (("broken.json", "table.report.json"), ("table.report.json", "broken.json")):
        status, printed, told = command(*pair)
        assert (status, printed) == (2, "")
        assert told.startswith("broken.json: ")
        assert expected in told
        assert told.count("error:") == 1


def test_folders(reports: Path, command: Ran, tmp_path: Path) -> None:
    """Files of one name are compared, those without a counterpart named."""
    for folder, names in (("old", ("a", "b")), ("new", ("b", "c"))):
        for name in names:
            source = "table" if folder == "old" else "layers"
            file = tmp_path / folder / "below" / f"{name}.report.json"
            file.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(reports / f"{source}.report.json", file)
    status, printed, _ = command(tmp_path / "old", tmp_path / "new", "--json")
    found = json.loads(printed)
    assert (status, len(found["models"])) == (0, 1)
    assert found["alone"] == [
        "below/a.report.json: not there any more",
        "below/c.report.json: new",
    ]
    status, _, told = command(tmp_path / "old", tmp_path / "new", "--max-flash=1000")
    assert (status, told.count("error:")) == (1, 2)
    (tmp_path / "empty").mkdir()
    assert command(tmp_path / "empty", tmp_path / "new")[0] == 2
    status, _, told = command(tmp_path / "old", "table.report.json")
    assert (status, "one is a folder and the other a file" in told) == (2, True)


def test_hostile_names(reports: Path, command: Ran) -> None:
    """In Markdown every name is code in its cell; in a browser it is text, nothing runs, and the
    page is as quiet, as narrow and as readable as those of reports."""
    report = read(reports, "layers")
    report["model"] = report["peak"]["tensors"][0]["name"] = HOSTILE
    for each in (*report["symbols"], *report["stack_path"]):
        each[next(iter(each))] += HOSTILE
    report["nodes"][0]["kernel"] = report["nodes"][1]["op"] = HOSTILE
    (reports / "hostile.report.json").write_text(json.dumps(report))
    words = ("table.report.json", "hostile.report.json", "--markdown=a.md", "--html=a.html")
    status, printed, told = command(*words, "--max-stack=1")
    assert status == 1
    for text in (printed, told):
        assert "\u202e" not in text
        assert all(line.isprintable() for line in text.splitlines())
    markdown = (reports / "a.md").read_text()
    tokens = MarkdownIt("commonmark").enable("table").parse(markdown)
    inline = [each for token in tokens for each in token.children or ()]
    assert not any("script" in each.content for each in inline if each.type != "code_inline")
    assert {each.type for each in inline} == {"code_inline", "text", "strong_open", "strong_close"}
    assert sum(token.type == "tr_open" for token in tokens) * 5 == sum(
        token.type in ("th_open", "td_open") for token in tokens
    )
    assert "<script>" in "".join(each.content for each in inline)
    assert all("\u202e" not in each.content for each in inline)
    with Browser() as browser:
        page = browser.open(reports / "a.html")
        page.check_quiet()
        assert page.violations() == []
        page.resize(390)
        page.scheme("dark")
        assert (page.overflow(), page.violations()) == (0, [])
        cells = page.evaluate(CELLS)
    assert "cycles\t19\t4,418\t+4,399\t+23,152.6 %" in cells
    assert any("<script>" in each for each in cells)
    before = (reports / "a.html").read_bytes()
    command(*words, "--max-stack=1")
    assert (reports / "a.html").read_bytes() == before


def test_page_says_what_stayed(reports: Path, command: Ran) -> None:
    """Rows of equal figures are set apart; of a single model the title is the only heading."""
    report = read(reports, "layers")
    report["flash_bytes"] += 10
    (reports / "more.report.json").write_text(json.dumps(report))
    command("layers.report.json", "more.report.json", "--html=more.html")
    text = (reports / "more.html").read_text(encoding="utf-8")
    found = re.findall(r'<tr( class="same")?><th scope="row">([^<]+)<', text)
    rows = {name: bool(is_same) for is_same, name in found}
    assert not rows.pop("flash")
    assert set(rows.values()) == {True}
    assert len(re.findall(r"<h[1-6]", text)) == 1


def test_markdown_alone(command: Ran) -> None:
    """For a comment: `-` prints it and nothing else."""
    pair = ("table.report.json", "layers.report.json")
    _, printed, _ = command(*pair, "--markdown", "-")
    lines = printed.splitlines()
    assert lines[0] == f"### `sine` on `{PART}`"
    assert "| flash | 470 B | 1,622 B | +1,152 B | +245.1 % |" in lines
    assert printed.count("<details><summary>") == printed.count("</details>") == 6
    assert "| `node 2 (LOOKUP)` | 256 B | 0 B | -256 B | `gone` |" in lines
