"""What Bazel 4 has built in, under one name: no file can export a name that it uses itself."""

built_in = struct(
    CcInfo = CcInfo,  # buildifier: disable=native-cc-info
    CcToolchainConfigInfo = CcToolchainConfigInfo,  # buildifier: disable=native-cc-toolchain-config-info
    cc_common = cc_common,  # buildifier: disable=native-cc-common
)
