"""tinyml_model: a .tflite file into C, a header, a report and a picture of the memory plan."""

load(":info.bzl", "TinymlInfo")
load(":option_table.bzl", "ACCURACY_ATTRS", "AMOUNTS", "MODEL_SUFFIXES", "OPTION_ATTRS", "OUTPUTS")
load(":toolchain.bzl", "TOOLCHAIN_TYPE", "target_arguments")

MODEL_ATTRS = dict(
    dict(OPTION_ATTRS, **ACCURACY_ATTRS),
    options = attr.label(
        allow_single_file = [".tinyml.toml"],
        doc = "A file of options, for those that are not attributes here.  Without a word it is " +
              "`<model>.tinyml.toml` next to a `src` of the package, if there is one.",
    ),
    prefix = attr.string(
        doc = "The beginning of every C symbol and of the files' names.  If empty, `name`, with " +
              "an underscore for what C does not take.",
    ),
    src = attr.label(
        allow_single_file = MODEL_SUFFIXES,
        doc = "The model: a .tflite file, or C or C++ source with one as an array.",
        mandatory = True,
    ),
    target = attr.string(
        doc = "The target to compile for.  The platform's if empty.",
    ),
)

def _identifier(name):
    text = "".join([each if each.isalnum() else "_" for each in name.elems()])
    return text if text[0].isalpha() else "m" + text

def _folder(file):
    return file.dirname

def _outermost(files):
    """The files __init__.py of operator folders, without those of packages inside of them."""
    found = [file for file in files if file.basename == "__init__.py"]
    folders = [file.dirname + "/" for file in found]
    return [
        file
        for file in found
        if not [each for each in folders if file.path.startswith(each) and file.dirname + "/" != each]
    ]

def _options(ctx):
    """The options of the command line for the attributes."""
    args = ctx.actions.args()
    args.add("--spelling", "bazel")
    args.add("--options", ctx.file.options or "")
    for name in OPTION_ATTRS:
        option = "--" + name.replace("_", "-")
        value = getattr(ctx.attr, name)
        if not value:  # not given
            continue
        if type(value) == "list":  # the files of folders
            files = _outermost(getattr(ctx.files, name))
            args.add_all(files, before_each = option, map_each = _folder)
        elif type(value) == "Target":
            args.add_all(getattr(ctx.files, name), before_each = option)
        elif type(value) == "bool":
            args.add(option)
        elif type(value) == "dict":
            pairs = ["{}={}".format(left, right) for left, right in value.items()]
            args.add_all(pairs, before_each = option)
        else:
            args.add(option, value)
    return args

def _judge(ctx, prefix, target):
    """Declares the action that fails where the model is worse than its accuracy budget.

    Its report is an input of the compilation, so that there is no firmware of such a model.  A group
    `_validation` of outputs would be made in parallel, but older Bazels do not make that unasked.

    Args:
      ctx: the context of a rule with MODEL_ATTRS.
      prefix: the beginning of the files' names.
      target: the name of the target.

    Returns:
      A list of File: the report, or none without a budget.
    """
    if not ctx.file.accuracy_vectors:
        for name in ACCURACY_ATTRS:
            if name != "accuracy_vectors" and getattr(ctx.attr, name):
                fail("lacks accuracy_vectors, to which %s applies" % name)
        return []
    toolchain = ctx.toolchains[TOOLCHAIN_TYPE].tinyml
    report = ctx.actions.declare_file(prefix + ".accuracy.json")
    args = ctx.actions.args()
    args.add_all(["accuracy", ctx.file.src])
    args.add("--name", prefix)
    args.add("--out", report)
    args.add("--vectors", ctx.file.accuracy_vectors)
    for name in ACCURACY_ATTRS:
        value = getattr(ctx.attr, name)
        if value and name != "accuracy_vectors":
            args.add("--" + name[len("accuracy_"):].replace("_", "-"), value)
    read = [ctx.file.src, ctx.file.accuracy_vectors, ctx.file.options]
    ctx.actions.run(
        arguments = [args, target_arguments(ctx, target, toolchain.target_files), _options(ctx)],
        executable = toolchain.compiler,
        inputs = depset(
            [file for file in read if file] + ctx.files.operators,
            transitive = [toolchain.target_files],
        ),
        mnemonic = "TinymlAccuracy",
        outputs = [report],
        progress_message = "Judging model %s" % ctx.label,
        use_default_shell_env = True,  # the compiler of this computer is found on the path
    )
    return [report]

def compile_model(ctx):
    """Declares the actions that judge a model, where there is a budget, and compile it.

    Args:
      ctx: the context of a rule with MODEL_ATTRS and the toolchain.

    Returns:
      A TinymlInfo.
    """
    toolchain = ctx.toolchains[TOOLCHAIN_TYPE].tinyml
    prefix = ctx.attr.prefix or _identifier(ctx.label.name)
    target = ctx.attr.target or toolchain.target
    files = {
        role: ctx.actions.declare_file(prefix + output.suffix)
        for role, output in OUTPUTS.items()
        if ctx.attr.weights == "external" or not output.is_external
    }
    info = TinymlInfo(
        prefix = prefix,
        target = target,
        **{role: files.get(role) for role in OUTPUTS}
    )
    args = ctx.actions.args()
    args.add_all(["compile", "--quiet", ctx.file.src])
    args.add("--name", prefix)
    args.add_all("--out", [info.source], map_each = _folder)
    args.add_all([OUTPUTS[role].suffix for role in files], before_each = "--declared")
    read = [file for file in [ctx.file.src, ctx.file.options] if file] + ctx.files.operators + ctx.files.sensor
    read = read + _judge(ctx, prefix, target)
    ctx.actions.run(
        arguments = [args, target_arguments(ctx, target, toolchain.target_files), _options(ctx)],
        executable = toolchain.compiler,
        execution_requirements = {"supports-path-mapping": "1"},
        inputs = depset(read, transitive = [toolchain.target_files]),
        mnemonic = "TinymlCompile",
        outputs = model_files(info),
        progress_message = "Compiling model %s for %s" % (ctx.label, target),
    )
    return info

def model_files(info):
    """All files of a compiled model.

    Args:
      info: its TinymlInfo.

    Returns:
      A list of File.
    """
    files = [getattr(info, role) for role in OUTPUTS]
    return [file for file in files if file]

def with_options_file(src, settings):
    """The attributes of a model with the file of options next to it, if there is one.

    Args:
      src: the model.
      settings: the other attributes.

    Returns:
      A dict.
    """
    settings = {
        name: str(value) if name in AMOUNTS and type(value) == "int" else value
        for name, value in settings.items()
    }
    suffixes = [each for each in MODEL_SUFFIXES if type(src) == "string" and src.endswith(each)]
    if "options" in settings or not suffixes or src[:1] in ["@", "/"]:
        return settings
    file = src.lstrip(":")[:-len(suffixes[0])] + ".tinyml.toml"
    return dict(settings, options = ([None] + native.glob([file], allow_empty = True))[-1])

def _tinyml_model_impl(ctx):
    info = compile_model(ctx)
    return [info, DefaultInfo(files = depset(model_files(info)))]

_tinyml_model = rule(
    implementation = _tinyml_model_impl,
    attrs = MODEL_ATTRS,
    doc = "Compiles a .tflite file into the files of TinymlInfo.",
    provides = [TinymlInfo],
    toolchains = [TOOLCHAIN_TYPE],
)

def tinyml_model(name, src, **settings):
    """Compiles a .tflite file into <prefix>.c, <prefix>.h, a report and a picture.

    Args:
      name: of the target.
      src: the model.
      **settings: the options of the compilation, `options`, `prefix`, `target`, and what every
        rule has.
    """
    _tinyml_model(name = name, src = src, **with_options_file(src, settings))
