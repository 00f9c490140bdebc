"""The C toolchain of a build, with --incompatible_enable_cc_toolchain_resolution."""

CC_TOOLCHAIN_TYPE = "@bazel_tools//tools/cpp:toolchain_type"

def use_cc_toolchain():
    """What a rule writes into its `toolchains`.

    Returns:
      A list with the toolchain type.
    """
    return [CC_TOOLCHAIN_TYPE]

def find_cc_toolchain(ctx):
    """The toolchain that was chosen for a target.

    Args:
      ctx: the rule's context.

    Returns:
      Its CcToolchainInfo.
    """
    return ctx.toolchains[CC_TOOLCHAIN_TYPE]
