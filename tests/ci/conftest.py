"""The package as it is installed."""

from tests.frontends.conftest import wheel

__all__ = ["wheel"]
