"""The C of Monocypher, from its source distribution on PyPI: a wheel has none of it."""

from __future__ import annotations

import hashlib
import re
import sys
import tarfile
from collections.abc import Mapping
from importlib.resources import files

from tests.conftest import PROJECT
from tests.frontends.conftest import pip
from tinyml_rules.system.user_folder import user_cache

_REQUIREMENTS = PROJECT / "requirements" / "sources.txt"
_DOWNLOAD = ("-m", "pip", "download", "--no-deps", "--require-hashes", "--no-binary")
_OF_ORLP = files("ed25519_orlp") / "csrc"
"""Has the SHA-512 that Monocypher has in a file of its own, which is in no package."""


def library() -> Mapping[str, str]:
    """The files that a check of Ed25519 takes, compiled for size; a skip where pip reaches no
    index, and nothing is kept of an earlier run."""
    texts = {name: (_OF_ORLP / name).read_text("utf-8") for name in ("sha512.h", "fixedint.h")}
    texts["monocypher.h"] = _text("monocypher.h")
    own = {"sha512.c": (_OF_ORLP / "sha512.c").read_text("utf-8")}
    for name, text in {**own, "monocypher.c": _text("monocypher.c")}.items():
        texts[f"{name}.h"] = f"#pragma GCC system_header /* its warnings are not ours */\n{text}"
        texts[name] = f'#pragma GCC optimize("Os")\n#include "{name}.h"\n'
    return texts


def _text(name: str) -> str:
    requirements = _REQUIREMENTS.read_text(encoding="utf-8")
    match = re.search(r"^(pymonocypher)==(\S+)", requirements, re.M)
    assert match
    folder, stem = user_cache() / "test-sources", f"{match[1]}-{match[2]}"
    file = folder / f"{stem}.tar.gz"
    if not file.is_file():
        folder.mkdir(parents=True, exist_ok=True)
        pip([sys.executable, *_DOWNLOAD, match[1], "-r", _REQUIREMENTS, "-d", folder], folder)
    assert f"sha256:{hashlib.sha256(file.read_bytes()).hexdigest()}" in requirements
    with tarfile.open(file) as opened:
        member = opened.extractfile(f"{stem}/{name}")
        assert member
        return member.read().decode("utf-8")
