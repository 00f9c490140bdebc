"""What Bazel 4 has built in, under one name: no file can export a name that it uses itself."""

built_in = struct(
    CcInfo = CcInfo,
    CcToolchainConfigInfo = CcToolchainConfigInfo,
    cc_common = cc_common,
)
