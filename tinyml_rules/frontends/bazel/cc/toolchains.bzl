"""A C toolchain for each part with a GCC that Debian has."""

load("@rules_cc//cc/toolchains:cc_toolchain.bzl", "cc_toolchain")
load("//tinyml_rules/frontends/bazel:target_table.bzl", "TARGETS")
load(":config.bzl", "gcc_config")

# Where each architecture's compiler has its headers.
_INCLUDE_FOLDERS = {
    "arm": ["/usr/lib/gcc/arm-none-eabi", "/usr/include/newlib", "/usr/lib/arm-none-eabi/include"],
    "avr": ["/usr/lib/gcc/avr", "/usr/lib/avr/include"],
}

def gcc_toolchains(name):
    """Declares them; `register_toolchains` takes them all.

    Args:
      name: of the empty group of files that represents a compiler outside the build.
    """
    native.filegroup(name = name)
    for target, about in TARGETS.items():
        if about.architecture not in _INCLUDE_FOLDERS:
            continue
        gcc_config(
            name = target + "_config",
            cpu = target,
            include_folders = _INCLUDE_FOLDERS[about.architecture],
            machine_flags = about.machine_flags,
            prefix = about.prefix,
        )
        cc_toolchain(
            name = target + "_gcc",
            all_files = name,
            compiler_files = name,
            dwp_files = name,
            linker_files = name,
            objcopy_files = name,
            strip_files = name,
            supports_param_files = False,
            toolchain_config = target + "_config",
        )
        native.toolchain(
            name = target,
            target_compatible_with = ["//targets:{}_part".format(target)],
            toolchain = target + "_gcc",
            toolchain_type = "@bazel_tools//tools/cpp:toolchain_type",
        )
