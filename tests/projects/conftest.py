"""The installed package, and PlatformIO with it."""

from tests.frontends.conftest import installed_python, platformio, wheel

__all__ = ["installed_python", "platformio", "wheel"]
