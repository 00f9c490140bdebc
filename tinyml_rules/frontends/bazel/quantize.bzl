"""tinyml_quantize: a float model and samples of its inputs into a full-integer model."""

load(":option_table.bzl", "MODEL_SUFFIXES", "QUANTIZE_ATTRS")
load(":toolchain.bzl", "TOOLCHAIN_TYPE")

def _tinyml_quantize_impl(ctx):
    toolchain = ctx.toolchains[TOOLCHAIN_TYPE].tinyml
    model = ctx.actions.declare_file(ctx.label.name + ".tflite")
    report = ctx.actions.declare_file(ctx.label.name + ".quantize.json")
    args = ctx.actions.args()
    args.add_all(["quantize", ctx.file.src])
    args.add("--out", model)
    args.add("--report", report)
    read = [ctx.file.src]
    for name in QUANTIZE_ATTRS:
        option = name.replace("_", "-")
        value = getattr(ctx.attr, name)
        if type(value) == "bool":
            args.add(("--" if value else "--no-") + option)
        elif type(value) == "Target":
            read.append(getattr(ctx.file, name))
            args.add("--" + option, read[-1])
        elif value:
            args.add("--" + option, value)
    ctx.actions.run(
        arguments = [args],
        executable = toolchain.compiler,
        inputs = read,
        mnemonic = "TinymlQuantize",
        outputs = [model, report],
        progress_message = "Quantizing model %s" % ctx.label,
    )
    return [
        DefaultInfo(files = depset([model])),
        OutputGroupInfo(report = depset([report])),
    ]

tinyml_quantize = rule(
    implementation = _tinyml_quantize_impl,
    attrs = dict(
        QUANTIZE_ATTRS,
        src = attr.label(
            allow_single_file = MODEL_SUFFIXES,
            doc = "The float model.",
            mandatory = True,
        ),
    ),
    doc = "Quantizes a float .tflite file.  Other rules take it as their `src`; the report is in the " +
          "group of outputs `report`.",
    toolchains = [TOOLCHAIN_TYPE],
)
