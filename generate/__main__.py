"""`python -m generate`: write every generated file that is not up to date, and say which."""

from __future__ import annotations

from pathlib import Path

from generate.files import write_generated

ROOT = Path(__file__).resolve().parents[1]


def main() -> None:
    """Print a line for each file that was written."""
    for name in write_generated(ROOT) or ["nothing: every generated file is up to date"]:
        print(f"wrote {name}")


if __name__ == "__main__":
    main()
