"""Python packages that are installed on this computer, in place of rules_python's pip.

For a machine without network.  The labels are those of `pip.parse`: @tinyml_rules_pip//numpy.
"""

# Distribution: the modules that it installs, and the distributions that it needs.
_PACKAGES = {
    "flatbuffers": (["flatbuffers"], []),
    "jinja2": (["jinja2"], ["markupsafe"]),
    "markupsafe": (["markupsafe"], []),
    "numpy": (["numpy", "numpy.libs"], []),
    "pyelftools": (["elftools"], []),
    "tflite": (["tflite"], ["numpy", "flatbuffers"]),
}

_ASK = """
import importlib.util, pathlib, sys
for name in sys.argv[1:]:
    found = importlib.util.find_spec(name)
    if found is None:
        sys.exit("this Python has no module '%s'" % name)
    print(pathlib.Path(found.origin).resolve().parents[1])
print(pathlib.Path(sys.executable).resolve())
"""

_PACKAGE_BUILD = """\
load("@rules_python//python:py_library.bzl", "py_library")

py_library(
    name = "{name}",
    srcs = glob(["site-packages/**/*.py"], exclude = {tests}),
    data = glob(
        ["site-packages/**"],
        allow_empty = True,
        exclude = ["**/*.py", "**/*.pyc", "**/*.pyi", "**/* *"] + {tests},
    ),
    imports = ["site-packages"],
    visibility = ["//visibility:public"],
    deps = {deps},
)
"""

_PYTHON_BUILD = """\
load("@rules_python//python:py_runtime.bzl", "py_runtime")
load("@rules_python//python:py_runtime_pair.bzl", "py_runtime_pair")

py_runtime(
    name = "runtime",
    interpreter_path = "{interpreter}",
    python_version = "PY3",
    stub_shebang = "#!{interpreter}",
)

py_runtime_pair(
    name = "runtimes",
    py3_runtime = ":runtime",
)

toolchain(
    name = "toolchain",
    toolchain = ":runtimes",
    toolchain_type = "@bazel_tools//tools/python:toolchain_type",
)
"""

def _ask_python(ctx):
    """The folder of each module, and then the interpreter."""
    python = ctx.os.environ.get("TINYML_PYTHON", "python3")
    modules = [modules[0] for modules, _ in _PACKAGES.values()]
    path = python if "/" in python else ctx.which(python)
    if not path:
        fail("TINYML_PYTHON: error: found no '%s', expected a Python with %s" % (python, modules))
    done = ctx.execute([path, "-c", _ASK] + modules)
    if done.return_code != 0:
        fail("%s: error: %s\n  hint: pip install %s, or --repo_env=TINYML_PYTHON=..." %
             (python, done.stderr.strip(), " ".join(_PACKAGES.keys())))
    return done.stdout.splitlines()

def _installed_packages_impl(ctx):
    answers = _ask_python(ctx)
    for (name, (modules, needed)), folder in zip(_PACKAGES.items(), answers):
        for module in modules:
            source = ctx.path("%s/%s" % (folder, module))
            if source.exists:
                ctx.symlink(source, "%s/site-packages/%s" % (name, module))
        ctx.file(name + "/BUILD.bazel", _PACKAGE_BUILD.format(
            name = name,
            deps = ["//" + each for each in needed],
            tests = ["**/tests/**"],
        ))
    ctx.file("python/BUILD.bazel", _PYTHON_BUILD.format(interpreter = answers[-1]))

installed_packages = repository_rule(
    implementation = _installed_packages_impl,
    doc = "The packages that the compiler needs, as a Python on this computer has them: that of " +
          "--repo_env=TINYML_PYTHON, else `python3`.  `//python:toolchain` is that Python.",
    environ = ["TINYML_PYTHON"],
    local = True,
)
