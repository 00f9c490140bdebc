"""One comment of a pull request on GitHub, which later ones replace.  Standard library only."""

from __future__ import annotations

import json
import os
import sys
from http.client import HTTPException
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

MARK = "<!-- tinyml_rules: size -->"
"""The first line of the comment, by which it is found again."""
MOST_CHARACTERS = 65_000
"""GitHub takes 65,536."""
PER_PAGE = 100
TIMEOUT_S = 30
NOT_OURS = 403


def post_comment(number: str, text: str) -> None:
    """Post or replace the comment of pull request `number`; $GITHUB_REPOSITORY, $GITHUB_TOKEN and
    $GITHUB_API_URL say where.  What fails is a warning: a token of a fork may not write, and the
    figures are in the log."""
    if len(text) > MOST_CHARACTERS:
        text = f"{text[:MOST_CHARACTERS]}\n\n… shortened"
    try:
        _post(f"repos/{_variable('GITHUB_REPOSITORY')}/issues", number, text)
    except (OSError, HTTPException, ValueError) as error:
        print(f"size_comment: warning: no comment: {error}", file=sys.stderr)


def _variable(name: str) -> str:
    if not os.environ.get(name):
        raise ValueError(f"${name} is not set")
    return os.environ[name]


def _post(issues: str, number: str, text: str) -> None:
    body = {"body": text}
    place = _last_comment(issues, number)
    if place is not None:
        try:
            _call("PATCH", f"{issues}/comments/{place}", body)
        except HTTPError as error:
            if error.code != NOT_OURS:  # somebody else's, with the same first line
                raise
        else:
            return
    _call("POST", f"{issues}/{number}/comments", body)


def _last_comment(issues: str, number: str) -> int | None:
    """The number of the comment that begins with our mark."""
    page, found = 1, None
    while True:
        listed = _call("GET", f"{issues}/{number}/comments?per_page={PER_PAGE}&page={page}")
        for each in listed:
            if str(each["body"]).startswith(MARK):
                found = int(each["id"])
        if len(listed) < PER_PAGE:
            return found
        page += 1


def _call(method: str, path: str, body: dict[str, str] | None = None) -> Any:
    base = os.environ.get("GITHUB_API_URL", "https://api.github.com")
    request = Request(  # noqa: S310 - of the runner's environment
        f"{base}/{path}",
        data=None if body is None else json.dumps(body).encode(),
        method=method,
        headers={
            "Accept": "application/vnd.github+json",
            "Authorization": f"Bearer {_variable('GITHUB_TOKEN')}",
            "Content-Type": "application/json",
            "X-GitHub-Api-Version": "2022-11-28",
        },
    )
    with urlopen(request, timeout=TIMEOUT_S) as answer:  # noqa: S310
        return json.load(answer)
