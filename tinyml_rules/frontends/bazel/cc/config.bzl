"""GCC for a part, as Debian installs it: a C toolchain with the flags that name the processor."""

load("@rules_cc//cc:action_names.bzl", "ACTION_NAMES")
load("@rules_cc//cc:cc_toolchain_config_lib.bzl", "feature", "flag_group", "flag_set", "tool_path")
load("@rules_cc//cc/common:cc_common.bzl", "cc_common")
load("@rules_cc//cc/toolchains:cc_toolchain_config_info.bzl", "CcToolchainConfigInfo")

_COMPILE = [
    ACTION_NAMES.assemble,
    ACTION_NAMES.preprocess_assemble,
    ACTION_NAMES.c_compile,
    ACTION_NAMES.cpp_compile,
]
_LINK = [ACTION_NAMES.cpp_link_executable]

_TOOLS = ["ar", "cpp", "gcc", "gcov", "ld", "nm", "objcopy", "objdump", "strip"]

# -no-canonical-prefixes, -fno-canonical-system-headers: the headers that the compiler names are
# those of the folders below.
_SAME_PATHS = ["-no-canonical-prefixes", "-fno-canonical-system-headers"]

def _flags(actions, flags):
    return flag_set(actions = actions, flag_groups = [flag_group(flags = flags)])

def _gcc_config_impl(ctx):
    prefix = ctx.attr.prefix
    machine = feature(
        name = "machine",
        enabled = True,
        flag_sets = [
            _flags(_COMPILE, ctx.attr.machine_flags + _SAME_PATHS),
            _flags(_COMPILE, ["-Os", "-ffunction-sections", "-fdata-sections"]),
            _flags(_LINK, ctx.attr.machine_flags + ["-Wl,--gc-sections"]),
        ],
    )
    debug = feature(name = "dbg", flag_sets = [_flags(_COMPILE, ["-g"])])
    return cc_common.create_cc_toolchain_config_info(
        ctx = ctx,
        abi_libc_version = "unknown",
        abi_version = "unknown",
        compiler = "gcc",
        cxx_builtin_include_directories = ctx.attr.include_folders,
        features = [machine, debug],
        host_system_name = "local",
        target_cpu = ctx.attr.cpu,
        target_libc = "unknown",
        target_system_name = ctx.attr.cpu,
        tool_paths = [
            tool_path(name = tool, path = "/usr/bin/" + prefix + tool)
            for tool in _TOOLS
        ],
        toolchain_identifier = ctx.label.name,
    )

gcc_config = rule(
    implementation = _gcc_config_impl,
    attrs = {
        "cpu": attr.string(
            doc = "What Bazel calls the processor.",
            mandatory = True,
        ),
        "include_folders": attr.string_list(
            doc = "Where the compiler has headers of its own.",
        ),
        "machine_flags": attr.string_list(
            doc = "The flags that name the processor, for compiling and linking.",
        ),
        "prefix": attr.string(
            doc = "What the compiler's programs begin with: `avr-`.",
            mandatory = True,
        ),
    },
    doc = "The configuration of a GCC in /usr/bin.",
    provides = [CcToolchainConfigInfo],
)
