"""A platform and a toolchain for each target that there is."""

load(":target_table.bzl", "TARGETS")
load(":toolchain.bzl", "TOOLCHAIN_TYPE", "tinyml_toolchain")

# A host is a platform with an operating system.
_HOSTS = ["linux", "macos"]

def tinyml_targets(name):
    """Declares what platforms are made of, a platform for each part, and the toolchains.

    Args:
      name: of the constraint that the parts are values of.
    """
    native.constraint_setting(name = name)
    for target, about in TARGETS.items():
        tinyml_toolchain(name = target + "_compiler", target = target)
        if about.architecture == "host":
            for system in _HOSTS:
                _toolchain(target, system, "@platforms//os:" + system)
            continue
        part = target + "_part"
        native.constraint_value(name = part, constraint_setting = name)
        native.platform(
            name = target,
            constraint_values = [part, "@platforms//os:none"],
        )
        _toolchain(target, "part", part)

def _toolchain(target, suffix, constraint):
    native.toolchain(
        name = "{}_{}_toolchain".format(target, suffix),
        target_compatible_with = [constraint],
        toolchain = target + "_compiler",
        toolchain_type = TOOLCHAIN_TYPE,
    )
