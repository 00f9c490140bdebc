"""The installed package, for the one ecosystem whose example makes the library by itself."""

from tests.frontends.conftest import installed_python, wheel

__all__ = ["installed_python", "wheel"]
