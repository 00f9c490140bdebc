"""What our files load from rules_cc and rules_python, by the names that those have it under."""

def _declared(name, **attributes):
    return None

cc_binary = _declared
cc_library = _declared
cc_test = _declared
cc_toolchain = _declared
py_binary = _declared
py_library = _declared

def use_cc_toolchain(mandatory = False):
    """What a rule writes into its `toolchains`."""
    return ["@@bazel_tools//tools/cpp:toolchain_type"]

def find_cc_toolchain(ctx, *, mandatory = True):
    """The toolchain of a target."""
    return None

ACTION_NAMES = struct(
    assemble = "assemble",
    c_compile = "c-compile",
    cpp_compile = "c++-compile",
    cpp_link_executable = "c++-link-executable",
    preprocess_assemble = "preprocess-assemble",
)
CcInfo = struct
CcToolchainConfigInfo = struct
cc_common = struct()
feature = struct
flag_group = struct
flag_set = struct
tool_path = struct
