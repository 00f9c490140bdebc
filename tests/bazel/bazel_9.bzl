"""The names that Bazel 9 gives to a file, with their parameters, as far as loading goes.

What is not here is an error: the rules of C, Python and shell, and what belongs to them, have to be
loaded.  A rule is a function that knows its attributes, so that BUILD files are checked too.
"""

_ATTRIBUTES_OF_ALL_RULES = [
    "compatible_with",
    "deprecation",
    "exec_compatible_with",
    "exec_group_compatible_with",
    "exec_properties",
    "features",
    "name",
    "package_metadata",
    "restricted_to",
    "tags",
    "target_compatible_with",
    "testonly",
    "toolchains",
    "visibility",
]
_ATTRIBUTES_OF_TESTS = ["args", "env", "env_inherit", "flaky", "local", "shard_count", "size", "timeout"]

def _instance(attributes, given):
    for name in given:
        if name not in attributes:
            fail("no attribute '{}' in {}".format(name, attributes))
    for name, about in attributes.items():
        if about != None and about.mandatory and name not in given:
            fail("no value for '{}'".format(name))

def rule(
        *,
        implementation,
        test = False,
        attrs = {},
        outputs = None,
        executable = False,
        output_to_genfiles = False,
        fragments = [],
        host_fragments = [],
        _skylark_testable = False,
        toolchains = [],
        doc = None,
        provides = [],
        dependency_resolution_rule = False,
        exec_compatible_with = [],
        analysis_test = False,
        build_setting = None,
        cfg = None,
        exec_groups = None,
        initializer = None,
        parent = None,
        extendable = None,
        subrules = []):
    """A rule: a function that takes its attributes and no others."""
    if not doc:
        fail("a rule without doc")
    for name, about in attrs.items():
        if not about.doc:
            fail("attribute '{}' has no doc".format(name))
    names = _ATTRIBUTES_OF_ALL_RULES + (_ATTRIBUTES_OF_TESTS if test else [])
    attributes = dict({name: None for name in names}, **attrs)

    def instance(**given):
        _instance(attributes, given)

    return instance

def repository_rule(
        implementation,
        *,
        attrs = None,
        local = False,
        environ = [],
        configure = False,
        remotable = False,
        doc = None):
    """A repository rule."""
    if not doc:
        fail("a repository rule without doc")

    def instance(**given):
        _instance(dict({"name": None}, **(attrs or {})), given)

    return instance

def provider(doc = None, *, fields = None, init = None):
    """A provider."""
    if not doc or not fields:
        fail("a provider without doc or fields")

    def instance(**given):
        return struct(**given)

    return instance

def exec_group(*, toolchains = [], exec_compatible_with = []):
    """A group of actions."""
    return struct()

def Label(input):
    """A label in the form that str() gives it to a module's own rules."""
    return "@@tinyml_rules+" + input

def select(x, no_match_error = ""):
    """The first of the values."""
    return x.values()[0]

def depset(direct = None, order = "default", *, transitive = None):
    """A set."""
    return struct()

def _attribute(default = None, *, doc = "", mandatory = False, values = []):
    return struct(default = default, doc = doc, mandatory = mandatory)

def _label_attribute(
        default = None,
        *,
        doc = "",
        mandatory = False,
        executable = False,
        allow_files = None,
        allow_single_file = None,
        skip_validations = False,
        providers = [],
        for_dependency_resolution = None,
        allow_rules = None,
        cfg = None,
        aspects = [],
        flags = []):
    return struct(default = default, doc = doc, mandatory = mandatory)

attr = struct(
    bool = _attribute,
    int = _attribute,
    label = _label_attribute,
    label_list = _label_attribute,
    string = _attribute,
    string_dict = _attribute,
    string_list = _attribute,
)

platform_common = struct(ToolchainInfo = struct)
config_common = struct(toolchain_type = Label)
DefaultInfo = struct
OutputGroupInfo = struct
RunEnvironmentInfo = struct

def _declared(name, **attributes):
    """A rule that is still built in."""
    return None

def _glob(include = [], exclude = [], exclude_directories = 1, allow_empty = False):
    return ["a file"]

def _package(
        *,
        default_visibility = [],
        default_testonly = False,
        default_deprecation = "",
        default_applicable_licenses = [],
        default_package_metadata = [],
        default_target_compatible_with = [],
        features = []):
    return None

def _exports_files(srcs, visibility = None, licenses = None):
    return None

def _package_relative_label(input):
    return input

native = struct(
    alias = _declared,
    config_setting = _declared,
    constraint_setting = _declared,
    constraint_value = _declared,
    exports_files = _exports_files,
    filegroup = _declared,
    genrule = _declared,
    glob = _glob,
    package_relative_label = _package_relative_label,
    platform = _declared,
    test_suite = _declared,
    toolchain = _declared,
    toolchain_type = _declared,
)

build_file = struct(package = _package)
