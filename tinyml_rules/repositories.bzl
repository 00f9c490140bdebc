"""What a WORKSPACE file loads; with MODULE.bazel, nothing of this is needed."""

load("//tinyml_rules/frontends/bazel:packages.bzl", "installed_packages")

# buildifier: disable=unnamed-macro
def tinyml_rules_repositories():
    """Declares the Python packages that the compiler needs, and registers the toolchains."""
    installed_packages(name = "tinyml_rules_pip")
    native.register_toolchains("@tinyml_rules//targets:all")
