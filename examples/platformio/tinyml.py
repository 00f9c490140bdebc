# ruff: noqa: F821 - PlatformIO defines Import() and env
from tinyml_rules.frontends.platformio import add_models

Import("env")
add_models(env)
