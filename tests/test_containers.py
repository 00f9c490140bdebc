"""The container files speak of what is there: no engine runs them in a test."""

from __future__ import annotations

import json
import re

from tests.conftest import PROJECT
from tinyml_rules.target.target import target_names

DOCKERFILE = (PROJECT / "Dockerfile").read_text(encoding="utf-8")


def test_stages_and_targets() -> None:
    """Stages that are built on are above, and the targets are ours."""
    stages = re.findall(r"^FROM (\S+) AS (\w+)$", DOCKERFILE, re.M)
    assert stages == [("debian:bookworm-slim", "system"), ("system", "compiler")]
    targets = re.findall(r"\./tinyml target=(\w+) model=sine run", DOCKERFILE)
    assert len(targets) == 2
    assert set(targets) <= set(target_names())


def test_development_container() -> None:
    """It begins with the stage that has no clone in it, and sets up with the README's command."""
    file = PROJECT / ".devcontainer" / "devcontainer.json"
    settings = json.loads(file.read_text(encoding="utf-8"))
    assert (file.parent / settings["build"]["dockerfile"]).resolve() == PROJECT / "Dockerfile"
    assert f"AS {settings['build']['target']}\n" in DOCKERFILE
    assert settings["postCreateCommand"] in (PROJECT / "README.md").read_text(encoding="utf-8")
