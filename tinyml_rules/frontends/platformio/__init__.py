"""PlatformIO: models named in platformio.ini become part of an environment's firmware."""

from tinyml_rules.frontends.platformio.models import add_models

__all__ = ["add_models"]
