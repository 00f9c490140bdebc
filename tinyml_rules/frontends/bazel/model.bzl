"""tinyml_model: a .tflite file into C, a header, a report and a picture of the memory plan."""

load(":info.bzl", "TinymlInfo")
load(":toolchain.bzl", "TOOLCHAIN_TYPE", "target_arguments")

MODEL_ATTRS = {
    "arena": attr.string(
        default = "static",
        doc = "Where the arena lives: `static`, an array of the model's own; `caller`, memory " +
              "that every function is given; `shared`, one array for all models of a program.",
        values = ["static", "caller", "shared"],
    ),
    "checked": attr.bool(
        doc = "Overwrite dead bytes as the model runs, so that a mistake of the memory plan " +
              "shows.  Slow, for tests.",
    ),
    "page": attr.int(
        default = 64,
        doc = "Bytes of external weights that are read at a time.",
    ),
    "place": attr.string_dict(
        doc = "Tensors that lie in a further memory region of the target: {tensor: region}, the " +
              "tensor by number or name.",
    ),
    "prefix": attr.string(
        doc = "The beginning of every C symbol and of the files' names.  If empty, `name`, with " +
              "an underscore for what C does not take.",
    ),
    "push_rows": attr.bool(
        doc = "Take the input a row at a time; it never lies in RAM as a whole.",
    ),
    "ram": attr.int(
        doc = "A limit for the arena in bytes: the least streaming that keeps to it.  0: none, " +
              "and the least RAM.",
    ),
    "schedule": attr.string(
        default = "auto",
        doc = "Whether layers run row by row together: `auto`, where that saves RAM; `layer`, " +
              "never; `stream`, wherever it is possible.",
        values = ["auto", "layer", "stream"],
    ),
    "src": attr.label(
        allow_single_file = [".tflite"],
        doc = "The model.",
        mandatory = True,
    ),
    "target": attr.string(
        doc = "The target to compile for.  The platform's if empty.",
    ),
    "weights": attr.string(
        default = "flash",
        doc = "Where the weights lie: `flash`, or `external`, in <prefix>.weights.bin, which the " +
              "firmware reads.",
        values = ["flash", "external"],
    ),
}

def _identifier(name):
    text = "".join([each if each.isalnum() else "_" for each in name.elems()])
    return text if text[0].isalpha() else "m" + text

def _folder(file):
    return file.dirname

def _options(ctx):
    """The options of the command line that the attributes stand for."""
    args = ctx.actions.args()
    args.add("--spelling", "bazel")
    args.add("--schedule", ctx.attr.schedule)
    args.add("--arena", ctx.attr.arena)
    args.add("--weights", ctx.attr.weights)
    args.add("--page", ctx.attr.page)
    if ctx.attr.ram:
        args.add("--ram", ctx.attr.ram)
    if ctx.attr.push_rows:
        args.add("--push-rows")
    if ctx.attr.checked:
        args.add("--checked")
    args.add_all(
        ["{}={}".format(tensor, region) for tensor, region in ctx.attr.place.items()],
        before_each = "--place",
    )
    return args

def compile_model(ctx):
    """Declares the action that compiles a model.

    Args:
      ctx: the context of a rule with MODEL_ATTRS and the toolchain.

    Returns:
      A TinymlInfo.
    """
    toolchain = ctx.toolchains[TOOLCHAIN_TYPE].tinyml
    prefix = ctx.attr.prefix or _identifier(ctx.label.name)
    target = ctx.attr.target or toolchain.target
    weights = None
    if ctx.attr.weights == "external":
        weights = ctx.actions.declare_file(prefix + ".weights.bin")
    info = TinymlInfo(
        header = ctx.actions.declare_file(prefix + ".h"),
        picture = ctx.actions.declare_file(prefix + ".memory.svg"),
        prefix = prefix,
        report = ctx.actions.declare_file(prefix + ".report.json"),
        source = ctx.actions.declare_file(prefix + ".c"),
        target = target,
        weights = weights,
    )
    args = ctx.actions.args()
    args.add_all(["compile", "--quiet", ctx.file.src])
    args.add("--name", prefix)
    args.add_all("--out", [info.source], map_each = _folder)
    ctx.actions.run(
        arguments = [args, target_arguments(ctx, target, toolchain.target_files), _options(ctx)],
        executable = toolchain.compiler,
        execution_requirements = {"supports-path-mapping": "1"},
        inputs = depset([ctx.file.src], transitive = [toolchain.target_files]),
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
    files = [info.source, info.header, info.report, info.picture]
    return files + ([info.weights] if info.weights else [])

def _tinyml_model_impl(ctx):
    info = compile_model(ctx)
    return [info, DefaultInfo(files = depset(model_files(info)))]

tinyml_model = rule(
    implementation = _tinyml_model_impl,
    attrs = MODEL_ATTRS,
    doc = "Compiles a .tflite file into <prefix>.c, <prefix>.h, <prefix>.report.json and " +
          "<prefix>.memory.svg.",
    provides = [TinymlInfo],
    toolchains = [TOOLCHAIN_TYPE],
)
