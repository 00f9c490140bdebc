"""The installed package, as the readers of the examples have it."""

from tests.frontends.conftest import installed_python, wheel

__all__ = ["installed_python", "wheel"]
