"""`tinyml_rules manifest` for a genrule."""

from __future__ import annotations

import sys

from tinyml_rules.cli import main

if __name__ == "__main__":
    sys.exit(main(["manifest", *sys.argv[1:]]))
