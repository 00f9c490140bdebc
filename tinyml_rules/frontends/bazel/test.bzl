"""tinyml_test: a model on its target's emulator, compared byte for byte."""

load(":info.bzl", "TinymlInfo")
load(":toolchain.bzl", "TOOLCHAIN_TYPE", "search_folder", "target_arguments")

# A test runs on a machine with an emulator.  Bazel 9 would look for one that is the part itself, had
# the rule no group `test` of its own.  Bazel 4 knows no groups; the function that is asked for here
# came later than they did.
_HAS_GROUPS = hasattr(native, "package_relative_label")
_RUN_HERE = {"exec_groups": {"test": exec_group()}} if _HAS_GROUPS else {}

def _tinyml_test_impl(ctx):
    toolchain = ctx.toolchains[TOOLCHAIN_TYPE].tinyml
    info = ctx.attr.model[TinymlInfo]
    image = ctx.actions.declare_file(ctx.label.name + ".elf")
    args = ctx.actions.args()
    args.add_all([info.source, info.header])
    args.add("--report", info.report)
    args.add("--out", image)
    ctx.actions.run(
        arguments = [args, target_arguments(ctx, info.target, toolchain.target_files)],
        executable = toolchain.linker,
        inputs = depset(
            [info.source, info.header, info.report],
            transitive = [toolchain.target_files],
        ),
        mnemonic = "TinymlLink",
        outputs = [image],
        progress_message = "Linking the test image of %s for %s" % (ctx.label, info.target),
        use_default_shell_env = True,  # the compilers are found on the path
    )
    return [_test(ctx, info = info, image = image, toolchain = toolchain)]

def _test(ctx, *, info, image, toolchain):
    """What `bazel test` runs: the runner on the image, in the folder of the runfiles."""
    inputs = {"--image": image, "--report": info.report, "--vectors": ctx.file.vectors}
    if info.weights:
        inputs["--weights"] = info.weights
    words = ["./" + toolchain.runner.files_to_run.executable.short_path, "--target", info.target]
    for option, file in inputs.items():
        words.extend([option, file.short_path])
    for file in toolchain.target_files.to_list():
        folder = search_folder(file, file.short_path)
        if folder:
            words.extend(["--targets", folder])
    script = ctx.actions.declare_file(ctx.label.name)
    ctx.actions.write(
        content = "#!/bin/sh\nexec '%s'\n" % "' '".join(words),
        is_executable = True,
        output = script,
    )
    runfiles = ctx.runfiles(inputs.values(), transitive_files = toolchain.target_files)
    return DefaultInfo(
        executable = script,
        runfiles = runfiles.merge(toolchain.runner.default_runfiles),
    )

tinyml_test = rule(
    implementation = _tinyml_test_impl,
    attrs = {
        "model": attr.label(
            doc = "The model: a tinyml_model or a tinyml_library.",
            mandatory = True,
            providers = [TinymlInfo],
        ),
        "vectors": attr.label(
            allow_single_file = [".npz"],
            doc = "Inputs and expected outputs by tensor name, with a leading axis of samples.",
            mandatory = True,
        ),
    },
    doc = "Links a model into a test image for its target, with startup code of ours, runs it on " +
          "the target's emulator and compares every byte of its outputs.",
    test = True,
    toolchains = [TOOLCHAIN_TYPE],
    **_RUN_HERE
)
