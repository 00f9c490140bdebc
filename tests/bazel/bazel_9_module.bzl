"""The names that Bazel 9 gives to a MODULE.bazel, and the tags that ours uses of extensions."""

_EXTENSIONS = {
    "@rules_python//python/extensions:pip.bzl": "pip",
    "@rules_python//python/extensions:python.bzl": "python",
}

def module(name = "", version = "", compatibility_level = 0, repo_name = "", bazel_compatibility = []):
    """The module itself."""

def bazel_dep(name, version = "", max_compatibility_level = -1, repo_name = "", dev_dependency = False):
    """A module that this one needs."""

def local_path_override(module_name, path):
    """Where a module lies on this computer."""

def register_toolchains(*toolchain_labels, dev_dependency = False):
    """Toolchains for every build."""

def _toolchain(*, python_version, is_default = False, configure_coverage_tool = False):
    return None

def _parse(*, hub_name, python_version, requirements_lock):
    return None

def use_extension(extension_bzl_file, extension_name, *, dev_dependency = False, isolate = False):
    """The tags of an extension."""
    if _EXTENSIONS[extension_bzl_file] != extension_name:
        fail("no extension '{}' in {}".format(extension_name, extension_bzl_file))
    return struct(parse = _parse, toolchain = _toolchain)

def use_repo(extension_proxy, *args, **kwargs):
    """Repositories that an extension made."""
