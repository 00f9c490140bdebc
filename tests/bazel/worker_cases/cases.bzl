"""One action for each thing that a worker has to get right."""

def _case_impl(ctx):
    declare = ctx.actions.declare_directory if ctx.attr.is_directory else ctx.actions.declare_file
    output = declare(ctx.label.name + ".out")
    ctx.actions.run(
        arguments = ctx.attr.words + [output.path],
        executable = ctx.attr.program,
        inputs = ctx.files.srcs,
        mnemonic = "Case",
        outputs = [output],
    )
    return DefaultInfo(files = depset([output]))

case = rule(
    implementation = _case_impl,
    attrs = {
        "is_directory": attr.bool(doc = "Whether the output is a directory."),
        "program": attr.string(default = "/bin/sh", doc = "What is run."),
        "srcs": attr.label_list(allow_files = True, doc = "The inputs."),
        "words": attr.string_list(doc = "Its arguments; the output's path is the last one."),
    },
    doc = "An action that makes one output.",
)

def _endless_test_impl(ctx):
    script = ctx.actions.declare_file(ctx.label.name)
    ctx.actions.write(
        content = "#!/bin/sh\necho it begins; sleep 86399 & wait\n",
        is_executable = True,
        output = script,
    )
    return DefaultInfo(executable = script)

endless_test = rule(
    implementation = _endless_test_impl,
    doc = "A test that never ends, with a process of its own that does not either.",
    test = True,
)
